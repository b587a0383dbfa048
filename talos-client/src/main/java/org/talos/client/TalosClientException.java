// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call. Its subclass says what a program can do about it. The client has already made every retry that
 * is safe.
 *
 * <p>Immutable.
 */
public abstract sealed class TalosClientException extends Exception
        permits RetriableException, FatalException, UnknownOutcomeException {
    /** The known effect of a call. */
    public enum Outcome {
        /** It certainly did not happen: repeating it is safe. */
        DID_NOT_HAPPEN,
        /** It may have happened. */
        UNKNOWN
    }

    private final String code;

    TalosClientException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * Returns the protocol's name of the error, or {@code HTTP_<status>}, or one of the client's own:
     * {@code CONNECTION}, {@code MALFORMED}, {@code BUFFER_FULL}, {@code DELIVERY_TIMEOUT}, {@code TIMEOUT},
     * {@code CLOSED}, {@code LOCK_LOST}, {@code IDEMPOTENCY_KEY_REUSED}, {@code INTERRUPTED}, {@code CLIENT}.
     */
    public String code() {
        return code;
    }

    /** Returns the known effect of the call. */
    public abstract Outcome outcome();

    /** Returns whether the same call may succeed later. */
    public abstract boolean retriable();
}
