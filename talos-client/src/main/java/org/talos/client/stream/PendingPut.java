// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.thrift.MessageBlock;

/** A put from the moment when it is handed over until it ends. Confined: the lock of its {@link StreamPuts}. */
final class PendingPut {
    final PartitionRef partition;
    final long number;
    final MessageBlock block;
    final long repeatUntilNanos;
    final long deadlineNanos;
    final CompletableFuture<OptionalLong> done = new CompletableFuture<>(); // with its offset, if that is known
    private final NumberedPut of;
    private int tries;
    private long sentNanos;
    private @Nullable CallFailure lastFailure;
    private OptionalLong offset = OptionalLong.empty();

    /**
     * Creates a put that was not tried yet.
     *
     * @param repeatUntilNanos time from which it is not tried again
     * @param deadlineNanos when it fails in any case
     */
    PendingPut(NumberedPut of, long repeatUntilNanos, long deadlineNanos) {
        this.of = of;
        partition = of.partition();
        number = of.number();
        block = of.block();
        this.repeatUntilNanos = repeatUntilNanos;
        this.deadlineNanos = deadlineNanos;
    }

    /** Returns the put with its identity. */
    NumberedPut numbered() {
        return of;
    }

    /** Returns the credit that it takes of its stream. */
    long cost() {
        return StreamMessages.PUT_HEAD_BYTES
                + (long) block.bufferForMessageBlock().remaining();
    }

    void sent(long nanos) {
        of.sent();
        tries++;
        sentNanos = nanos;
    }

    int tries() {
        return tries;
    }

    long sentNanos() {
        return sentNanos;
    }

    /** Notes that the put was not stored, or may not have been. */
    void failed(CallFailure why) {
        lastFailure = why;
        if (!why.surelyNotDone()) {
            of.maybeOnStream();
        }
        of.back();
    }

    /** Notes that the put was not stored because a put in front of it was not. */
    void back() {
        of.back();
    }

    /** Completes the put as stored. */
    void stored(long at) {
        of.maybeOnStream();
        offset = OptionalLong.of(at);
    }

    /** Returns the offset of its first message, once it is stored on a stream. */
    OptionalLong offset() {
        return offset;
    }

    /** Notes that the put goes by a call. */
    void called() {
        of.called();
    }

    /** Returns whether it has gone by a call, now or when it was handed over before: then only a call may send it. */
    boolean wasCalled() {
        return of.wasCalled();
    }

    /** Fails it as unanswered: its answer is no longer awaited. */
    void unanswered() {
        failed(CallFailure.unanswered("the stream's server", null));
    }

    /** Returns whether a stream may have stored it, now or before: then only a stream may send it, under its number. */
    boolean maybeStored() {
        return of.isMaybeOnStream();
    }

    /** Returns whether it was tried and may not be tried again. */
    boolean isSpent(long nowNanos) {
        return lastFailure != null && nowNanos - repeatUntilNanos >= 0;
    }

    /**
     * Returns whether the put has expired. A put that was never tried needs enough time for a try, because a try that
     * is cut short leaves the outcome unknown.
     */
    boolean isLate(long nowNanos) {
        long least = tries == 0 ? RoutedCalls.LEAST_NANOS : 0;
        return nowNanos - deadlineNanos + least >= 0;
    }

    /**
     * Returns the failure with which the put would end now. Once the put may have been stored, the failure always says
     * so.
     */
    CallFailure ending(CallFailure last) {
        return maybeStored() && last.surelyNotDone() ? last.withUnknownEffect() : last;
    }

    /** Returns why it was not stored so far; null if it was never tried. */
    @Nullable
    CallFailure lastFailure() {
        return lastFailure;
    }
}
