// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/**
 * A cut in flight: no byte of the segment past the position may be replayed. Immutable except for the future that it
 * completes.
 */
record Cut(SegmentName name, long position, CompletableFuture<Void> done) implements JournalItem {
    @Override
    public List<ByteBuffer> bytes() {
        return List.of();
    }

    @Override
    public int length() {
        return JournalFormat.CUT;
    }

    @Override
    public @Nullable StorageException refusal() {
        return null;
    }

    @Override
    public void complete() {
        done.complete(null);
    }

    @Override
    public void fail(StorageException cause) {
        done.completeExceptionally(cause);
    }
}
