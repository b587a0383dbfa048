// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.talos.thrift.ErrorCode;

/**
 * A failure with the protocol's error code; the only exception that crosses parts of the server. Its message is sent to
 * the client, so it has no secret, no path and no host name.
 *
 * <p>Immutable.
 */
public final class TalosException extends RuntimeException {
    private final ErrorCode code;
    private final Effect effect;
    private final Duration retryAfter;

    /** A failure without a cause. */
    public TalosException(ErrorCode code, Effect effect, String message) {
        this(code, effect, message, null);
    }

    /** A failure; {@code message} is one sentence for the client. */
    public TalosException(ErrorCode code, Effect effect, String message, @Nullable Throwable cause) {
        this(code, effect, message, Duration.ZERO, cause);
    }

    private TalosException(
            ErrorCode code, Effect effect, String message, Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.effect = effect;
        this.retryAfter = retryAfter;
    }

    /** A refusal: the request surely had no effect. */
    public static TalosException refused(ErrorCode code, String message) {
        return new TalosException(code, Effect.NONE, message);
    }

    /** A refusal of a request that will be taken after a time. */
    public static TalosException refusedFor(Duration time, ErrorCode code, String message) {
        return new TalosException(code, Effect.NONE, message, time, null);
    }

    /** The protocol's error code. */
    public ErrorCode code() {
        return code;
    }

    /** What is known of the request's effect. */
    public Effect effect() {
        return effect;
    }

    /** After which time the same request may succeed; zero if that is not known. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** The sentence for the client; never null. */
    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? code.name() : message;
    }
}
