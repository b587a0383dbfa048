// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.ErrorTraits;
import org.talos.thrift.ErrorCode;

/** The failure of a call as the transport reports it; programs see a TalosClientException instead. Immutable. */
public final class CallFailure extends Exception {
    /** The code of a call that found no server, or got no answer. */
    public static final String CONNECTION = "CONNECTION";

    /** The code of a call that the client's closing has ended. */
    private static final String CLOSED = "CLOSED";

    private final String code;
    private final boolean surelyNotDone;
    private final boolean retriable;
    private final Duration retryAfter;

    CallFailure(String code, boolean surelyNotDone, boolean retriable, String message, @Nullable Throwable cause) {
        this(code, surelyNotDone, retriable, message, cause, Duration.ZERO);
    }

    CallFailure(
            String code,
            boolean surelyNotDone,
            boolean retriable,
            String message,
            @Nullable Throwable cause,
            Duration retryAfter) {
        super(message, cause);
        this.code = code;
        this.surelyNotDone = surelyNotDone;
        this.retriable = retriable;
        this.retryAfter = retryAfter;
    }

    /**
     * Returns the failure of a call by the client's closing.
     *
     * @param surelyNotDone whether nothing was sent
     */
    public static CallFailure closed(boolean surelyNotDone) {
        return new CallFailure(CLOSED, surelyNotDone, true, "the client is closed", null);
    }

    /** Returns the failure of a request that was sent to a server that has not answered. */
    public static CallFailure unanswered(String server, @Nullable Throwable cause) {
        String why = cause == null ? "" : ": " + cause.getMessage();
        return new CallFailure(CONNECTION, false, true, "no answer from " + server + why, cause);
    }

    /**
     * Returns the failure of a call of which nothing was sent, because this program lacks memory, threads, or sockets
     * at the moment.
     */
    static CallFailure ofClient(String why, Throwable cause) {
        return new CallFailure("CLIENT", true, true, why, cause);
    }

    /** Returns the failure of a request that was never sent. */
    public static CallFailure unsent(String why) {
        return new CallFailure(CONNECTION, true, true, why, null);
    }

    /**
     * Returns the failure of a request that a server has refused.
     *
     * @param code the protocol's name of the error, or the server's own
     * @param status as of HTTP, for a code that is not the protocol's
     */
    public static CallFailure refused(String code, int status, boolean surelyNotDone, String sentence) {
        boolean retriable =
                ErrorTraits.find(code).map(ErrorTraits::retryable).orElseGet(() -> ErrorTraits.isTemporary(status));
        return new CallFailure(code, surelyNotDone, retriable, sentence, null);
    }

    /** Returns whether the client was closed, so that another try is useless. */
    boolean isClosed() {
        return code.equals(CLOSED);
    }

    /** Returns whether the server could not be reached, or did not answer. */
    public boolean isConnection() {
        return code.equals(CONNECTION);
    }

    /** Returns whether the server answered that it does not serve the partition: another server may. */
    boolean isNotServing() {
        return code.equals(ErrorCode.PARTITION_NOT_SERVING.name());
    }

    /** Returns this failure with unknown effect, for a call of which an earlier try may have happened. */
    public CallFailure withUnknownEffect() {
        return new CallFailure(code, false, retriable, getMessage(), this, retryAfter);
    }

    /** Returns this failure of a call that changes nothing: it certainly had no effect. */
    CallFailure withoutEffect() {
        return surelyNotDone ? this : new CallFailure(code, true, retriable, getMessage(), this, retryAfter);
    }

    /** Returns how long the server asks the client to wait; zero if it does not say. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Returns the protocol's name of the error, or the transport's. */
    public String code() {
        return code;
    }

    /** Returns whether the call certainly had no effect. */
    public boolean surelyNotDone() {
        return surelyNotDone;
    }

    /** Returns whether the same call may succeed later. */
    public boolean retriable() {
        return retriable;
    }

    /** Returns the sentence for the program; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
