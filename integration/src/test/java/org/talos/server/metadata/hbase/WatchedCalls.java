// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The real calls, with the mutations counted, and the first one's answer lost on its way back if wanted. Thread-safe.
 */
final class WatchedCalls implements Calls {
    private final Calls calls;
    private final boolean loseFirst;
    private final AtomicInteger mutations = new AtomicInteger();
    private final CountDownLatch repeating = new CountDownLatch(1);

    WatchedCalls(Calls calls, boolean loseFirst) {
        this.calls = calls;
        this.loseFirst = loseFirst;
    }

    int mutations() {
        return mutations.get();
    }

    /** Waits until the row is looked at, which is when an answer was lost. */
    void awaitLook() throws InterruptedException {
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
    public CompletableFuture<List<Found>> scan(Range range, int limit) {
        return calls.scan(range, limit);
    }
}
