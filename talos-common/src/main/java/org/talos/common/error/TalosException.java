// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import java.time.Duration;
import java.util.Optional;
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
    private final @Nullable Fault fault;
    private final @Nullable Offsets damaged;

    /**
     * Messages of a partition that cannot be read. Immutable.
     *
     * @param first offset of the first one
     * @param last offset of the last one; a reader continues behind it
     */
    public record Offsets(int partition, long first, long last) {}

    /** Creates a failure without a cause. */
    public TalosException(ErrorCode code, Effect effect, String message) {
        this(code, effect, message, null);
    }

    /** Creates a failure; {@code message} is one sentence for the client. */
    public TalosException(ErrorCode code, Effect effect, String message, @Nullable Throwable cause) {
        this(code, effect, null, null, message, Duration.ZERO, cause);
    }

    private TalosException(
            ErrorCode code,
            Effect effect,
            @Nullable Fault fault,
            @Nullable Offsets damaged,
            String message,
            Duration retryAfter,
            @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.effect = effect;
        this.fault = fault;
        this.damaged = damaged;
        this.retryAfter = retryAfter;
    }

    /**
     * Returns a failure that the protocol's code names too vaguely.
     *
     * @param fault for front ends that can say more than the code
     */
    public static TalosException of(
            ErrorCode code, Effect effect, Fault fault, String message, @Nullable Throwable cause) {
        return new TalosException(code, effect, fault, null, message, Duration.ZERO, cause);
    }

    /**
     * Returns the failure of a call that threw this, or whose future ended with it. If it is not a TalosException, the
     * server failed, with unknown effect.
     */
    public static TalosException of(Throwable thrown) {
        Throwable cause = Exceptions.unwrap(thrown);
        return cause instanceof TalosException known
                ? known
                : new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, "the server failed", cause);
    }

    /**
     * Returns the failure of a read that begins at damaged messages.
     *
     * @param damaged the whole range, so that a reader can continue behind it
     */
    public static TalosException damaged(ErrorCode code, Offsets damaged, String message, @Nullable Throwable cause) {
        return new TalosException(code, Effect.NONE, Fault.DAMAGED, damaged, message, Duration.ZERO, cause);
    }

    /**
     * Returns the same failure of a call that had another effect. Its cause is this one, and it names no time to wait.
     */
    public TalosException withEffect(Effect other) {
        return new TalosException(code, other, fault, damaged, getMessage(), Duration.ZERO, this);
    }

    /** Returns a refusal: the request certainly had no effect. */
    public static TalosException refused(ErrorCode code, String message) {
        return new TalosException(code, Effect.NONE, message);
    }

    /** Returns a refusal of a request that will be taken after a time. */
    public static TalosException refusedFor(Duration time, ErrorCode code, String message) {
        return new TalosException(code, Effect.NONE, null, null, message, time, null);
    }

    /** Returns the protocol's error code. */
    public ErrorCode code() {
        return code;
    }

    /** Returns the known effect of the request. */
    public Effect effect() {
        return effect;
    }

    /** After which time the same request may succeed; zero if that is not known. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Returns the cause, more exactly than the code; empty if the code is exact. */
    public Optional<Fault> fault() {
        return Optional.ofNullable(fault);
    }

    /** Returns the damaged messages at which a read begins; empty for other failures. */
    public Optional<Offsets> damaged() {
        return Optional.ofNullable(damaged);
    }

    /** Returns the sentence for the client; never null. */
    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? code.name() : message;
    }
}
