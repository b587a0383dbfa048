// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.talos.client.TalosClientException;

/**
 * The future of a message, or of several that are put together, which knows whether the program has noticed its
 * failure.
 *
 * <p>Thread-safe.
 */
final class SentMessage extends CompletableFuture<PutResult> implements Waiting.Ending {
    /** The bytes in the heap: two references of a future and one of its own, a number and a bit. */
    static final long HEAP_BYTES = HeapBytes.object(3, Integer.BYTES + 1);

    private final Outcomes outcomes;
    private final int messages;

    @GuardedBy("this")
    private boolean isUnseen;

    /** @param messages number of messages */
    SentMessage(Outcomes outcomes, int messages) {
        this.outcomes = outcomes;
        this.messages = messages;
    }

    @Override
    public void stored(int partition, long offset) {
        complete(outcomes.stored(partition, offset));
    }

    /** Fails the message; dependents that are already attached are notified. */
    @Override
    public void failed(TalosClientException failure) {
        outcomes.failed(messages, failure);
        if (getNumberOfDependents() == 0) {
            synchronized (this) {
                isUnseen = true;
            }
            outcomes.unseen();
        }
        completeExceptionally(failure);
    }

    private void seen() {
        if (takeUnseen()) {
            outcomes.seen();
        }
    }

    private synchronized boolean takeUnseen() {
        boolean before = isUnseen;
        isUnseen = false;
        return before;
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
