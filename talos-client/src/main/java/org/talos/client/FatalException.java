// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call that certainly did not happen and will not succeed unless something else changes: a wrong key,
 * a name, a permission, a topic that was deleted.
 *
 * <p>Immutable.
 */
public sealed class FatalException extends TalosClientException permits UnreadableBlockException {
    /** Creates a failure with its code and a message for people. */
    public FatalException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }

    @Override
    public final Outcome outcome() {
        return Outcome.DID_NOT_HAPPEN;
    }

    @Override
    public final boolean retriable() {
        return false;
    }
}
