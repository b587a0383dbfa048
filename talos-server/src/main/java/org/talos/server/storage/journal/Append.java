// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/** An append in flight. Immutable except for its future. */
record Append(JournaledSegment segment, long position, List<ByteBuffer> bytes, int length, CompletableFuture<Void> done)
        implements JournalItem {
    @Override
    public SegmentName name() {
        return segment.name();
    }

    /** Returns why: bytes of the segment in front of these have failed, and these would leave a hole. */
    @Override
    public @Nullable StorageException refusal() {
        return segment.broken();
    }

    @Override
    public void complete() {
        segment.durable(position + length);
        done.complete(null);
        segment.settled();
    }

    @Override
    public void fail(StorageException cause) {
        done.completeExceptionally(cause);
        segment.settled();
    }
}
