// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The real table; counts mutations, and loses the answer of the first one if the test wants it. Thread-safe. */
final class WatchedCellTable implements CellTable {
    private final CellTable calls;
    private final boolean loseFirst;
    private final AtomicInteger mutations = new AtomicInteger();
    private final CountDownLatch repeating = new CountDownLatch(1);

    WatchedCellTable(CellTable calls, boolean loseFirst) {
        this.calls = calls;
        this.loseFirst = loseFirst;
    }

    int mutations() {
        return mutations.get();
    }

    /** Waits for the read of the row that follows a lost answer. */
    void awaitRead() throws InterruptedException {
        repeating.await();
    }

    @Override
    public CompletableFuture<?> locate(byte[] key) {
        return calls.locate(key);
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(byte[] key) {
        repeating.countDown();
        return calls.get(key);
    }

    @Override
    public CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next) {
        CompletableFuture<Boolean> answer = calls.replace(key, replaced, next);
        return mutations.incrementAndGet() == 1 && loseFirst
                ? answer.thenCompose(done -> CompletableFuture.failedFuture(new IOException("connection reset")))
                : answer;
    }

    @Override
    public CompletableFuture<List<KeyedCell>> scan(KeyRange range, int limit) {
        return calls.scan(range, limit);
    }
}
