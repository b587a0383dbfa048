// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.consumer.Commits.Begin;
import org.talos.client.consumer.group.Backoff;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.consumer.group.LogEnds;
import org.talos.client.transport.PartitionRef;

/**
 * Reads one partition that this consumer has: fetches, has the messages processed, commits, until it is stopped. The
 * program may pause it, and send it to another offset.
 *
 * <p>Confined: {@link #run} belongs to one thread of the consumer. All else is thread-safe.
 */
final class PartitionReader implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final String OUT_OF_RANGE = "MESSAGE_OFFSET_OUT_OF_RANGE";

    private final GroupCalls group;
    private final PartitionRef partition;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final BooleanSupplier held;
    private final StartOffsets starts;
    private final ReaderState state;
    private final Arrivals arrivals;
    private final Commits commits;

    // Used by run() only.
    private long position = SimpleConsumer.EARLIEST;
    private Begin begin;
    private final Backoff backoff = new Backoff();

    /**
     * A reader that has not started.
     *
     * @param held whether the consumer's locks are certain not to have expired
     * @param starts finds where to begin
     * @param ahead how the consumer reads ahead
     */
    PartitionReader(
            ClientCalls calls,
            GroupCalls group,
            PartitionRef partition,
            ConsumerConfig config,
            MessageProcessor.Factory factory,
            BooleanSupplier held,
            StartOffsets starts,
            Ahead ahead) {
        this.group = group;
        this.partition = partition;
        this.config = config;
        this.factory = factory;
        this.held = held;
        this.starts = starts;
        state = new ReaderState(calls.runtime());
        commits = new Commits(calls, group, partition, config, starts, this::mayCommit, state.lock());
        begin = commits.begin();
        arrivals = ahead.arrivals(partition, state::signal);
    }

    PartitionRef partition() {
        return partition;
    }

    /** Ends the reader after the current call of the processor: commits, and releases the lock. */
    void stop() {
        state.stop();
    }

    /** Ends the reader of a partition whose lock is lost: nothing more is processed or committed. */
    void lost() {
        state.lost();
    }

    /** Pauses calls of the processor, or resumes them. Messages that are read ahead stay where they are. */
    void pause(boolean isPaused) {
        state.pause(isPaused);
    }

    /**
     * Moves the reader to an offset. Messages that wait are not processed, and what is processed just now does not
     * count.
     *
     * @return commits that the group continues there; empty if the reader is ending
     */
    Optional<Processed> seek(long offset) {
        state.lock().lock();
        try {
            return state.seek(offset) ? Optional.of(new Processed(commits.seek(offset), offset)) : Optional.empty();
        } finally {
            state.lock().unlock();
        }
    }

    boolean isStopping() {
        return state.isStopping();
    }

    boolean isPaused() {
        return state.isPaused();
    }

    /** Returns whether the partition's lock is to be renewed: it is neither lost nor released. */
    boolean isLocking() {
        return state.isLocking();
    }

    private boolean isOurs() {
        return !state.isLost() && held.getAsBoolean();
    }

    private boolean mayCommit() {
        return isOurs() && isLocking();
    }

    /**
     * The figures of the partition.
     *
     * @param ends where logs end
     * @param waitingBytes of what waits for the program outside of this reader
     */
    ConsumerSnapshot.Partition snapshot(LogEnds ends, long waitingBytes) {
        long next = state.next();
        return new ConsumerSnapshot.Partition(
                new TopicPartition(partition.topic(), partition.number()),
                next < 0 ? OptionalLong.empty() : OptionalLong.of(next),
                commits.stored(),
                next == ReaderState.NOWHERE ? OptionalLong.empty() : ends.behind(partition, next),
                isPaused(),
                arrivals.bytes() + waitingBytes);
    }

    @Override
    public void run() {
        try {
            MessageProcessor processor = factory.create(new TopicPartition(partition.topic(), partition.number()));
            begin();
            while (!isStopping()) {
                round(processor);
            }
            end(processor);
        } catch (RuntimeException | Error e) { // the top of the thread
            LOG.error("a reader failed partition={}", partition, e);
        } finally {
            arrivals.close();
            release();
        }
    }

    /** Looks up the offset to start from; repeated until it succeeds, the reader is stopped or sent elsewhere. */
    private void begin() {
        while (!isStopping() && !state.isSought()) {
            try {
                if (startAt(starts.begin(partition))) {
                    backoff.succeeded();
                    return;
                }
            } catch (TalosClientException e) {
                failed(e);
            }
        }
    }

    private boolean startAt(Optional<StartOffsets.Start> found) {
        if (found.isEmpty()) {
            LOG.warn("partition lost before it was read partition={}", partition);
            lost();
            return false;
        }
        state.lock().lock();
        try {
            if (state.advance(found.get().position())) {
                begin = commits.start(found.get());
                position = found.get().position();
            }
        } finally {
            state.lock().unlock();
        }
        return true;
    }

    private void round(MessageProcessor processor) {
        follow();
        awaitTurn();
        if (isStopping()) {
            return;
        }
        List<FetchedMessage> messages = read();
        if (!messages.isEmpty()) {
            arrivals.beginAhead(SimpleConsumer.end(messages));
            if (process(processor, messages)) {
                resumeAfter(SimpleConsumer.end(messages) - 1, messages.size());
            }
        }
    }

    /** Goes where the program has sent the reader meanwhile. */
    private void follow() {
        state.lock().lock();
        try {
            long to = state.follow();
            if (to != ReaderState.NOWHERE) {
                begin = commits.begin();
                position = to;
            }
        } finally {
            state.lock().unlock();
        }
    }

    private void resumeAfter(long last, int messages) {
        if (state.advance(last + 1)) {
            position = last + 1;
        }
        commits.processed(begin, last, messages);
    }

    /** Commits what is due; while the partition is paused, waits and continues to commit. */
    private void awaitTurn() {
        do {
            if (config.autoCommit() && commits.untilDueNanos() <= 0) {
                commitProcessed();
            }
        } while (state.awaitTurn(untilCommitNanos()));
    }

    /** Until the next commit is due, if nothing more is processed; forever if there is nothing to commit. */
    private long untilCommitNanos() {
        return config.autoCommit() ? commits.untilDueNanos() : Long.MAX_VALUE;
    }

    /** The next messages; none if there are none for now, or the reader is to do something else. */
    private List<FetchedMessage> read() {
        try {
            return fetch();
        } catch (TalosClientException e) {
            if (state.isSought()) {
                LOG.debug("fetch failed for a partition that is no longer assigned partition={}", partition, e);
            } else if (e.code().equals(OUT_OF_RANGE)) {
                restart();
            } else if (e instanceof UnreadableBlockException block && isSkipped(block)) {
                skip(block);
            } else {
                failed(e);
            }
            return List.of();
        }
    }

    /** The next messages; none if there are none for now, a commit is due, or the reader is to do something else. */
    private List<FetchedMessage> fetch() throws TalosClientException {
        arrivals.begin(position);
        if (!state.awaitArrival(arrivals::isAwaited, untilCommitNanos())) {
            return List.of();
        }
        List<FetchedMessage> messages = arrivals.take();
        group.answered();
        backoff.succeeded();
        return messages;
    }

    private void restart() {
        try {
            long before = position;
            if (startAt(starts.restart(partition))) {
                LOG.warn(
                        "messages have expired, reading continues at another offset partition={} old={} new={}",
                        partition,
                        before,
                        position);
            }
        } catch (TalosClientException e) {
            failed(e);
        }
    }

    private boolean isSkipped(UnreadableBlockException block) {
        try {
            return config.skipUnreadable().test(block);
        } catch (RuntimeException e) {
            LOG.error("handler of unreadable blocks failed partition={}", partition, e);
            return false;
        }
    }

    private void skip(UnreadableBlockException block) {
        LOG.warn(
                "unreadable block skipped partition={} first={} last={}",
                partition,
                block.firstOffset(),
                block.lastOffset());
        backoff.succeeded();
        resumeAfter(block.lastOffset(), 0);
    }

    private void failed(TalosClientException e) {
        boolean isNew = backoff.isNew(e);
        Duration pause = backoff.failed(e);
        if (isNew) {
            LOG.warn("partition read failed, will retry partition={} code={}", partition, e.code(), e);
        } else {
            LOG.warn(
                    "partition read still failing, will retry partition={} code={} pause={} reason={}",
                    partition,
                    e.code(),
                    pause,
                    e.getMessage());
        }
        state.rest(pause);
    }

    /** Calls the processor until it succeeds, or is not to be called any more; true if it succeeded. */
    private boolean process(MessageProcessor processor, List<FetchedMessage> messages) {
        Processed checkpoint = new Processed(begin, SimpleConsumer.end(messages));
        while (isTurn(checkpoint)) {
            try {
                processor.process(messages, checkpoint);
                return true;
            } catch (AbandonedException e) {
                if (!checkpoint.isSuperseded()) {
                    stop();
                }
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stop();
                return false;
            } catch (Exception | Error e) { // an Error too: its partition would be taken again and again in silence
                LOG.error(
                        "processor failed, will get the same messages again partition={} offset={}",
                        partition,
                        messages.get(0).offset(),
                        e);
                state.rest(config.failurePause());
                if (isStopping()) {
                    return false;
                }
            }
        }
        if (!isOurs()) {
            lost();
        }
        return false;
    }

    /** Waits while the partition is paused. False if the processor is not to be called with what was read. */
    private boolean isTurn(Processed checkpoint) {
        awaitTurn();
        return isOurs() && !checkpoint.isSuperseded() && !(isPaused() && isStopping());
    }

    /**
     * Thrown by a processor that passes messages on to a polling program: these will not be processed here. Immutable.
     */
    static final class AbandonedException extends RuntimeException {}

    /** The processed messages that the program may commit. Thread-safe: a program that polls may commit it later. */
    final class Processed implements Checkpoint {
        private final Begin from;
        private final long end;

        /**
         * @param from the beginning after which it was read
         * @param end one past the last message that may be committed
         */
        private Processed(Begin from, long end) {
            this.from = from;
            this.end = end;
        }

        /** The partition that it is of. */
        PartitionRef partition() {
            return partition;
        }

        /** One past the last message that may be committed. */
        long end() {
            return end;
        }

        /** Returns whether the partition is to be released, or is lost. */
        boolean isOver() {
            return isStopping() || !isOurs();
        }

        /** Returns whether the partition is paused now. */
        boolean isPaused() {
            return PartitionReader.this.isPaused();
        }

        /** Returns whether the reader has gone elsewhere since: these messages are not to be processed. */
        boolean isSuperseded() {
            return from != commits.begin();
        }

        /** Returns whether this is of the same reader and messages as another one, and so may stand for it. */
        boolean continues(Processed before) {
            return from.continues(before.from);
        }

        /** The program has got these messages: the next are those behind them. */
        void given() {
            state.lock().lock();
            try {
                if (!isSuperseded()) {
                    var unused = state.advance(end);
                }
            } finally {
                state.lock().unlock();
            }
        }

        /** The program has asked for a commit: the partition is not released before that has ended. */
        void promise() {
            state.promise(1);
        }

        /** A commit that was promised has ended. */
        void kept() {
            state.promise(-1);
        }

        @Override
        public void commit() throws TalosClientException {
            commitTo(end);
        }

        @Override
        public void commitBefore(long offset) throws TalosClientException {
            if (offset > end) {
                throw new IllegalArgumentException("offset: " + offset + " (expected: " + end + " at most)");
            }
            commitTo(offset);
        }

        /** The same for any offset that the program has got before. */
        void commitTo(long offset) throws TalosClientException {
            if (commits.commit(offset - 1, from)) {
                return;
            }
            if (group.isMember()) {
                lost();
            }
            String whose = group.isMember() ? "another member's" : isOver() ? "not assigned any more" : "a member's";
            throw new FatalException(
                    GroupCalls.LOCK_LOST, GroupCalls.LOCK_LOST + ": partition " + partition + " is " + whose, null);
        }
    }

    private void commitProcessed() {
        try {
            if (!commits.commitProcessed()) {
                LOG.warn("offset commit refused, another member holds the partition partition={}", partition);
                if (group.isMember()) {
                    lost();
                }
            }
        } catch (TalosClientException e) {
            LOG.warn("offset commit failed, will retry partition={} code={}", partition, e.code(), e);
        }
    }

    private void end(MessageProcessor processor) {
        state.awaitPromises();
        if (config.autoCommit() && commits.isBehind() && isOurs()) {
            commitProcessed();
        }
        try {
            processor.stop(new Processed(begin, commits.end()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception | Error e) {
            LOG.error("processor failed when it was stopped partition={}", partition, e);
        }
    }

    private void release() {
        if (!isOurs()) {
            return;
        }
        try {
            group.unlock(partition, state::released);
        } catch (TalosClientException e) {
            LOG.warn("lock release failed, it will expire partition={} code={}", partition, e.code(), e);
        }
    }
}
