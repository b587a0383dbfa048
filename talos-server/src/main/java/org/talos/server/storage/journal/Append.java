// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/** An append in flight; without the segment, the length to which it was cut. Immutable but for what it completes. */
record Append(
        SegmentName name,
        @Nullable JournaledSegment segment,
        long position,
        List<ByteBuffer> bytes,
        int length,
        CompletableFuture<Void> done) {
    int itemBytes() {
        return JournalFormat.ITEM_HEADER_BYTES + Math.max(length, 0);
    }

    void complete() {
        if (segment != null) {
            segment.durable(position + length);
        }
        done.complete(null);
        if (segment != null) {
            segment.settled();
        }
    }

    void fail(StorageException cause) {
        done.completeExceptionally(cause);
        if (segment != null) {
            segment.settled();
        }
    }
}
