// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call that may have happened: the answer was lost, or the server does not know the outcome.
 *
 * <p>Immutable.
 */
public final class UnknownOutcomeException extends TalosClientException {
    private final boolean retriable;

    /** Creates a failure with its code and a message for people. */
    public UnknownOutcomeException(String code, boolean retriable, String message, @Nullable Throwable cause) {
        super(code, message, cause);
        this.retriable = retriable;
    }

    @Override
    public Outcome outcome() {
        return Outcome.UNKNOWN;
    }

    @Override
    public boolean retriable() {
        return retriable;
    }
}
