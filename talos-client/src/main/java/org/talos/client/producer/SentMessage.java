// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The future of a message, which knows whether its failure has been looked at.
 *
 * <p>Thread-safe.
 */
final class SentMessage extends CompletableFuture<PutResult> {
    private final AtomicLong unseen;
    private final AtomicBoolean isUnseen = new AtomicBoolean();

    /** @param unseen counts failures that nobody has looked at */
    SentMessage(AtomicLong unseen) {
        this.unseen = unseen;
    }

    /** Fails the message; what is attached already hears of it. */
    void fail(Throwable failure) {
        if (getNumberOfDependents() == 0) {
            isUnseen.set(true);
            unseen.incrementAndGet();
        }
        completeExceptionally(failure);
    }

    private void seen() {
        if (isUnseen.getAndSet(false)) {
            var unused = unseen.updateAndGet(count -> Math.max(0, count - 1)); // a flush may have set it to 0
        }
    }

    @Override
    public PutResult get() throws InterruptedException, ExecutionException {
        try {
            return super.get();
        } finally {
            seen();
        }
    }

    @Override
    public PutResult get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return super.get(timeout, unit);
        } finally {
            seen();
        }
    }

    @Override
    public PutResult join() {
        try {
            return super.join();
        } finally {
            seen();
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        seen(); // something is attached
        return new CompletableFuture<>();
    }
}
