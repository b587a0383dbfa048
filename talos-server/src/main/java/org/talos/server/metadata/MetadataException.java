// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;

/**
 * A failure of the metadata store, with what a caller does about it and what is known of the effect.
 *
 * <p>Immutable.
 */
public final class MetadataException extends Exception {
    private final Reason reason;
    private final Effect effect;

    /** A failure; {@code message} is for operators and holds no row's value. */
    public MetadataException(Reason reason, Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.effect = effect;
    }

    /** A failure without a cause worth keeping. */
    public MetadataException(Reason reason, Effect effect, String message) {
        this(reason, effect, message, null);
    }

    /** What the caller can do. */
    public Reason reason() {
        return reason;
    }

    /** What is known of the write that failed; NONE for reads. */
    public Effect effect() {
        return effect;
    }

    /** Why a call failed. */
    public enum Reason {
        /** The store has too much to do, or moves the row: nothing was done, another try may succeed. */
        BUSY,
        /** The store cannot answer now, or is closed: another try may succeed. */
        UNAVAILABLE,
        /** Rows are damaged: an operator has to act, trying again does not help. */
        CORRUPT,
        /** Written by a version that this one does not know: only the right version may touch it. */
        UNKNOWN_FORMAT
    }
}
