// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/** A put from its coming to its end. Confined: the lock of its {@link StreamPuts}. */
final class PendingPut {
    final PartitionRef partition;
    final long number;
    final MessageBlock block;
    final long deadlineNanos;
    final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private int tries;
    private long sentNanos;
    private boolean maybeStored;
    private @Nullable CallFailure lastFailure;

    PendingPut(PartitionRef partition, long number, MessageBlock block, long deadlineNanos) {
        this.partition = partition;
        this.number = number;
        this.block = block;
        this.deadlineNanos = deadlineNanos;
    }

    /** What it takes of a stream's credit. */
    long cost() {
        return StreamMessages.PUT_HEAD_BYTES
                + (long) block.bufferForMessageBlock().remaining();
    }

    void sent(long nanos) {
        tries++;
        sentNanos = nanos;
    }

    int tries() {
        return tries;
    }

    long sentNanos() {
        return sentNanos;
    }

    /** It was not stored, or that is not known. */
    void failed(CallFailure why) {
        lastFailure = why;
        maybeStored |= !why.surelyNotDone();
    }

    /** Nobody waits for its answer any more. */
    void unanswered() {
        failed(CallFailure.unanswered("the stream's server", null));
    }

    /** Whether an earlier try may have stored it: then only a stream may send it again, under its number. */
    boolean maybeStored() {
        return maybeStored;
    }

    /** With what it fails, if it does so with that: nobody takes back that it may have been stored. */
    CallFailure ending(CallFailure last) {
        return maybeStored && last.surelyNotDone() ? last.withUnknownEffect() : last;
    }

    /** Why it was not stored so far; null if it was never tried. */
    @Nullable
    CallFailure lastFailure() {
        return lastFailure;
    }
}
