// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.jspecify.annotations.Nullable;

/** A call that failed, with what is known of its effect. Immutable. */
public final class TalosClientException extends Exception {
    /** What is known of the call's effect. */
    public enum Outcome {
        /** It surely did not happen: repeating it is safe. */
        DID_NOT_HAPPEN,
        /** It may have happened. */
        UNKNOWN
    }

    private final String code;
    private final Outcome outcome;
    private final boolean retriable;

    /** A failure; the code is the protocol's name, or {@code HTTP_<status>}, {@code CONNECTION}. */
    public TalosClientException(
            String code, Outcome outcome, boolean retriable, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.outcome = outcome;
        this.retriable = retriable;
    }

    /** The protocol's name of the error, or {@code HTTP_<status>}, {@code CONNECTION}, {@code MALFORMED}. */
    public String code() {
        return code;
    }

    /** What is known of the call's effect. */
    public Outcome outcome() {
        return outcome;
    }

    /** Whether the same call may succeed later. */
    public boolean retriable() {
        return retriable;
    }
}
