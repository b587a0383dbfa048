// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;

/** A store did not do what was asked. Immutable. */
public final class StorageException extends Exception {
    /** What the caller does differently. */
    public enum Reason {
        /** Another owner has taken the segment over: stop serving the partition. */
        FENCED,
        /** Too much waits to be written. The append took nothing; later ones may succeed. */
        BUSY,
        /** The store can't be reached, is full, or failed: the segment takes no further append. */
        UNAVAILABLE,
        /** Bytes that were acknowledged are damaged or missing: do not serve them. */
        CORRUPT
    }

    private final Reason reason;
    private final Effect effect;

    /** A failure; the effect is that of the operation that failed. */
    public StorageException(Reason reason, Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.effect = effect;
    }

    /** The store can't be reached, is full, or failed; the message is what did not happen, and why. */
    public static StorageException unavailable(String what, Effect effect, Exception cause) {
        return new StorageException(Reason.UNAVAILABLE, effect, what + ": " + cause.getMessage(), cause);
    }

    /** Another owner has made the segment, or has seen to it that nobody does. */
    public static StorageException exists(SegmentName name, Exception cause) {
        return new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " is there already", cause);
    }

    /** What the caller does differently. */
    public Reason reason() {
        return reason;
    }

    /** Whether the operation may have taken effect all the same. */
    public Effect effect() {
        return effect;
    }
}
