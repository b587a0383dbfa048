// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call that certainly did not happen and may succeed later.
 *
 * <p>Immutable.
 */
public final class RetriableException extends TalosClientException {
    /** Creates a failure with its code and a message for people. */
    public RetriableException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }

    @Override
    public Outcome outcome() {
        return Outcome.DID_NOT_HAPPEN;
    }

    @Override
    public boolean retriable() {
        return true;
    }
}
