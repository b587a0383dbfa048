// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/** An item of a journal's batch, about one segment: bytes that are appended to it, or the length to which it is cut. */
sealed interface JournalItem permits Append, Cut {
    SegmentName name();

    /** Returns the position in the segment at which the bytes begin; for a cut, the remaining length. */
    long position();

    List<ByteBuffer> bytes();

    /** Returns the number of bytes; for a cut, {@link JournalFormat#CUT}. */
    int length();

    /** Returns the future that completes when the item is durable. */
    CompletableFuture<Void> done();

    /** Returns the number of bytes that the item has in its batch. */
    default int itemBytes() {
        return JournalFormat.ITEM_HEADER_BYTES + Math.max(length(), 0);
    }

    /** Returns why the item must not be written, if that is so. */
    @Nullable
    StorageException refusal();

    /** Marks the item as durable. */
    void complete();

    /** Marks the item as failed. */
    void fail(StorageException cause);
}
