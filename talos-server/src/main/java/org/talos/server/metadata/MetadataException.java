// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.runtime.FirstLine;

/**
 * A failure of the metadata store: its reason, which decides the caller's reaction, and the known effect of the call.
 *
 * <p>Immutable.
 */
public final class MetadataException extends Exception {
    private final Reason reason;
    private final Effect effect;

    /** A failure; {@code message}, of which the first line is kept, is for operators and contains no row's value. */
    public MetadataException(Reason reason, Effect effect, String message, @Nullable Throwable cause) {
        super(FirstLine.of(message), cause);
        this.reason = reason;
        this.effect = effect;
    }

    /** A failure without a cause worth keeping. */
    public MetadataException(Reason reason, Effect effect, String message) {
        this(reason, effect, message, null);
    }

    /** The reason, which decides the caller's reaction. */
    public Reason reason() {
        return reason;
    }

    /** Returns the known effect of the write that failed; NONE for reads. */
    public Effect effect() {
        return effect;
    }

    /** Why a call failed. */
    public enum Reason {
        /** The store is overloaded, or moves the row: nothing was done, a retry may succeed. */
        BUSY,
        /** The store cannot answer now, or is closed: a retry may succeed. */
        UNAVAILABLE,
        /** The store's disk has no room: a retry may succeed once there is some. */
        FULL,
        /** Rows are damaged: an operator has to act, a retry does not help. */
        CORRUPT,
        /** Written in a format that this version does not know: only a version that does may touch it. */
        UNKNOWN_FORMAT
    }
}
