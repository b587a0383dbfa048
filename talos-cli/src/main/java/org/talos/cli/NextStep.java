// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.Map;
import java.util.Optional;
import org.talos.client.TalosClientException;

/** The next step for a user whose call was refused, or whose server was not found. Immutable. */
final class NextStep {
    private static final String KEY = "'talos profile show' and --credentials say which key is used; an administrator "
            + "makes another by 'talos user add NAME --out FILE'";
    private static final String CONNECTION = "CONNECTION";
    private static final String PERMISSION_DENIED = "PERMISSION_DENIED_ERROR";
    private static final String START_SERVER = "start a server by 'talos server', or name one: --endpoint URL, "
            + "TALOS_ENDPOINT, or 'talos profile add NAME --endpoint URL'";
    private static final String ANOTHER_SERVER =
            "'talos profile show' says which server is used; name another: --endpoint URL, TALOS_ENDPOINT";
    private static final String NO_TALOS_SERVER = "check that a Talos server, and not another program, answers at this "
            + "address; 'talos profile show' says which one is used, --endpoint URL and TALOS_ENDPOINT name another";
    private static final String OTHER_SCHEME =
            "change http:// to https://, or the reverse, in --endpoint, TALOS_ENDPOINT, or the profile";
    private static final String TRUST = "call the server by a name in its certificate, or trust the certificate: "
            + "TALOS_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE";
    private static final String OTHER_ADMINISTRATOR = "add another administrator first: 'talos user add NAME --admin "
            + "--out FILE'; 'talos user rotate NAME' replaces a key";
    private static final String ADMINISTRATOR =
            "use the key of an administrator: --credentials FILE, or a --profile with it";
    private static final String QUOTA = "'talos quota show' says how much is allowed";

    private static final Map<String, String> STEPS = Map.ofEntries(
            Map.entry("HTTP_401", KEY),
            Map.entry("HTTP_404", NO_TALOS_SERVER),
            Map.entry("HTTP_405", NO_TALOS_SERVER),
            Map.entry("HTTP_412", "set this machine's clock, or the server's"),
            Map.entry("TOPIC_NOT_EXIST", "'talos topic list' shows your topics, 'talos topic create NAME' makes one"),
            Map.entry("TOPIC_EXIST", "'talos topic describe NAME' shows it, 'talos topic alter NAME' changes it"),
            Map.entry("PARTITION_NOT_EXIST", "'talos topic describe NAME' shows its partitions"),
            Map.entry(
                    "MESSAGE_OFFSET_OUT_OF_RANGE",
                    "'talos topic describe NAME' shows where its partitions begin and end"),
            Map.entry("CONSUMER_NOT_EXIST", "'talos group list TOPIC' shows the topic's groups"),
            Map.entry(
                    "CONSUMER_GROUP_STILL_WORKING", "stop its members, which 'talos group describe TOPIC GROUP' shows"),
            Map.entry(
                    PERMISSION_DENIED,
                    "its owner can grant it: 'talos topic grant TOPIC USER put|get|all', 'talos group grant TOPIC GROUP "
                            + "USER read|commit|administer'"),
            Map.entry("PARTITION_NOT_SERVING", "try again in some seconds; 'talos cluster status' shows the servers"),
            Map.entry("QUOTA_EXCEEDED", QUOTA),
            Map.entry("THROTTLE_REJECT_ERROR", QUOTA));

    private NextStep() {}

    /**
     * Returns the next step after a failure; empty if its sentence says enough, or if the user must first check its
     * outcome.
     */
    static Optional<String> after(Throwable failure, int exitCode) {
        if (exitCode == ExitCodes.UNKNOWN || exitCode == ExitCodes.PARTLY) {
            return Optional.empty();
        }
        Throwable cause = failure instanceof TalosClientException ? failure : failure.getCause();
        return cause instanceof TalosClientException call ? after(call) : Optional.empty();
    }

    private static Optional<String> after(TalosClientException call) {
        String message = String.valueOf(call.getMessage());
        if (call.code().equals(CONNECTION)) {
            return unanswered(call);
        }
        if (call.code().equals(PERMISSION_DENIED) && message.contains("administrator")) {
            return Optional.of(message.contains("the last administrator") ? OTHER_ADMINISTRATOR : ADMINISTRATOR);
        }
        return Optional.ofNullable(isOfAnotherProgram(message) ? NO_TALOS_SERVER : STEPS.get(call.code()));
    }

    private static boolean isOfAnotherProgram(String message) {
        return message.contains(": a web page: ") || message.startsWith("MALFORMED: the answer cannot be read: ");
    }

    /** Returns the next step after a call that found no server, or no answer; empty if its sentence says enough. */
    private static Optional<String> unanswered(TalosClientException call) {
        return switch (ConnectionFault.of(call)) {
            case UNTRUSTED -> Optional.of(TRUST);
            case OTHER_SCHEME -> Optional.of(OTHER_SCHEME);
            case UNKNOWN_HOST -> Optional.of(ANOTHER_SERVER);
            case NO_SERVER -> ofPassing(call, START_SERVER);
            case NO_HANDSHAKE, UNKNOWN -> ofPassing(call, NO_TALOS_SERVER);
        };
    }

    private static Optional<String> ofPassing(TalosClientException call, String step) {
        return call.retriable() ? Optional.of(step) : Optional.empty();
    }
}
