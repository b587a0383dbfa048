// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.Map;
import java.util.Optional;
import org.talos.client.TalosClientException;

/** The next step for a user whose call was refused, or who found no server. Immutable. */
final class NextStep {
    private static final String KEY = "'talos profile show' and --credentials say which key is used; an administrator "
            + "makes another by 'talos user add NAME --out FILE'";
    private static final String CONNECTION = "CONNECTION";
    private static final String ANOTHER_SERVER =
            "'talos profile show' says which server is used; name another: --endpoint URL, TALOS_ENDPOINT";
    private static final String QUOTA = "'talos quota show' says how much is allowed";

    private static final Map<String, String> STEPS = Map.ofEntries(
            Map.entry(
                    CONNECTION,
                    "start a server by 'talos server', or name one: --endpoint URL, TALOS_ENDPOINT, or 'talos profile "
                            + "add NAME --endpoint URL'"),
            Map.entry("HTTP_401", KEY),
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
                    "PERMISSION_DENIED_ERROR",
                    "its owner can grant it: 'talos topic grant TOPIC USER put|get|all', 'talos group grant TOPIC GROUP "
                            + "USER read|commit|administer'"),
            Map.entry("PARTITION_NOT_SERVING", "try again in some seconds; 'talos cluster status' shows the servers"),
            Map.entry("QUOTA_EXCEEDED", QUOTA),
            Map.entry("THROTTLE_REJECT_ERROR", QUOTA));

    private NextStep() {}

    /**
     * The next step after a failure; empty if its sentence says enough, or the first step is to look what of it has
     * happened.
     */
    static Optional<String> after(Throwable failure, int exitCode) {
        if (exitCode == ExitCodes.UNKNOWN || exitCode == ExitCodes.PARTLY) {
            return Optional.empty();
        }
        Throwable cause = failure instanceof TalosClientException ? failure : failure.getCause();
        return cause instanceof TalosClientException call ? after(call) : Optional.empty();
    }

    private static Optional<String> after(TalosClientException call) {
        boolean isWrongServer = call.code().equals(CONNECTION) && !call.retriable();
        return Optional.ofNullable(isWrongServer ? ANOTHER_SERVER : STEPS.get(call.code()));
    }
}
