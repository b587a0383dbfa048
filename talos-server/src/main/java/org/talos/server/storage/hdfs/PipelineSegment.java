// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A segment whose appends are acknowledged from its own file: each append is one flush, on the worker that appends.
 *
 * <p>Thread-safe.
 */
final class PipelineSegment implements OpenSegment, SegmentWriter {
    private final SegmentName name;
    private final SegmentFile file;
    private final Store store;

    @GuardedBy("this")
    private @Nullable StorageException failure;

    PipelineSegment(SegmentName name, SegmentFile file, Store store) {
        this.name = name;
        this.file = file;
        this.store = store;
    }

    /** The store that it belongs to. */
    interface Store {
        /** Does nothing while the store is open. */
        void refuseIfClosed() throws StorageException;

        /** Brings a fenced segment to its end; returns its length in bytes. */
        long settle(SegmentName name) throws StorageException;
    }

    @Override
    public SegmentWriter writer() {
        return this;
    }

    @Override
    public synchronized CompletableFuture<Void> append(List<ByteBuffer> bytes) {
        try {
            store.refuseIfClosed();
            if (failure != null) {
                throw failure;
            }
            file.write(file.size(), bytes);
            return CompletableFuture.completedFuture(null);
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        } catch (IOException e) {
            failure = SegmentFiles.unavailable("segment " + name + " can't be written", Effect.UNKNOWN, e);
            return CompletableFuture.failedFuture(failure);
        }
    }

    @Override
    public long length() {
        return file.size();
    }

    @Override
    public long seal() throws StorageException {
        fence();
        return store.settle(name);
    }

    /** Left as it is until it is recovered. */
    @Override
    public void close() {
        fence();
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        return file.read(position, target);
    }

    @Override
    public synchronized void fence() {
        if (failure == null) {
            failure = new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " has another owner", null);
        }
    }

    /** An append is under way only while it holds the lock. */
    @Override
    public synchronized void awaitSettled() {}

    @Override
    public boolean isLost() {
        return false;
    }

    @Override
    public synchronized long finish() throws IOException {
        file.close();
        return file.size();
    }

    @Override
    public synchronized void drop() {
        file.abandon();
    }
}
