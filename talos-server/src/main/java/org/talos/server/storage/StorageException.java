// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.io.FileNotFoundException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.runtime.FirstLine;

/** A failed operation of a store. Immutable. */
public final class StorageException extends Exception {
    /** The reasons to which callers react differently. */
    public enum Reason {
        /** Another owner has taken over the segment: stop serving the partition. */
        FENCED,
        /** Too many bytes wait to be written. The append took nothing; later ones may succeed. */
        BUSY,
        /** The store cannot be reached or failed: the segment accepts no more appends. */
        UNAVAILABLE,
        /** The same, since its disk has no room. */
        FULL,
        /** Acknowledged bytes are damaged or missing: do not serve them. */
        CORRUPT
    }

    /** ENOSPC and EDQUOT. */
    private static final List<String> DISK_FULL = List.of("No space left on device", "Disk quota exceeded");

    private final Reason reason;
    private final Effect effect;

    /**
     * Creates a failure with the effect of the failed operation. Only the first line of the message is kept, as clients
     * and operators see it.
     */
    public StorageException(Reason reason, Effect effect, String message, @Nullable Throwable cause) {
        super(FirstLine.of(message), cause);
        this.reason = reason;
        this.effect = effect;
    }

    /**
     * Returns an exception with the reason UNAVAILABLE, or FULL if the cause says so; the message says what failed, and
     * why.
     */
    public static StorageException unavailable(String what, Effect effect, Throwable cause) {
        return new StorageException(
                isDiskFull(cause) ? Reason.FULL : Reason.UNAVAILABLE, effect, what + ": " + cause.getMessage(), cause);
    }

    /** Returns whether a failure was caused by a full disk, by the system's message: Java has no other sign of it. */
    public static boolean isDiskFull(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String message = each.getMessage();
            if (each instanceof StorageException storage && storage.reason == Reason.FULL) {
                return true;
            }
            if (message != null && DISK_FULL.stream().anyMatch(message::contains)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether something failed since a file is missing. */
    public static boolean isMissingFile(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof FileNotFoundException || each instanceof NoSuchFileException) {
                return true;
            }
        }
        return false;
    }

    /** Another owner has created the segment, or has made sure that it is never created. */
    public static StorageException exists(SegmentName name, Exception cause) {
        return new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " is there already", cause);
    }

    /** Returns the reason, to which the caller reacts. */
    public Reason reason() {
        return reason;
    }

    /** Returns whether the operation may have taken effect all the same. */
    public Effect effect() {
        return effect;
    }
}
