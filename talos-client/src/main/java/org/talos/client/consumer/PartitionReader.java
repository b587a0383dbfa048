// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.consumer.Commits.Begin;
import org.talos.client.consumer.PartitionHold.Processed;
import org.talos.client.consumer.group.Backoff;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.consumer.group.LogEnds;
import org.talos.client.transport.PartitionRef;

/**
 * Reads one partition of this consumer: fetches messages, passes them to the processor, and commits, until it is
 * stopped. The program may pause it, and move it to another offset. The reader decides what comes next. Its
 * {@link PartitionHold} decides whether the partition is still its own, and commits.
 *
 * <p>Confined: {@link #run} belongs to one thread of the consumer. All else is thread-safe.
 */
final class PartitionReader implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final String OUT_OF_RANGE = "MESSAGE_OFFSET_OUT_OF_RANGE";

    private final PartitionHold hold;
    private final PartitionRef partition;
    private final GroupCalls group;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final StartOffsets starts;
    private final ReaderState state;
    private final Commits commits;
    private final Arrivals arrivals;

    // Used by run() only.
    private long position = SimpleConsumer.EARLIEST;
    private Begin begin;
    private final Backoff backoff = new Backoff();

    /**
     * Creates a reader that has not started.
     *
     * @param starts finds where to begin
     * @param ahead how the consumer reads ahead
     */
    PartitionReader(
            PartitionHold hold,
            GroupCalls group,
            ConsumerConfig config,
            MessageProcessor.Factory factory,
            StartOffsets starts,
            Ahead ahead) {
        this.hold = hold;
        this.group = group;
        this.config = config;
        this.factory = factory;
        this.starts = starts;
        partition = hold.partition();
        state = hold.state();
        commits = hold.commits();
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
     * Moves the reader to an offset. Waiting messages are not processed, and those being processed now do not count.
     *
     * @return commits that the group continues there; empty if the reader is ending
     */
    Optional<Processed> seek(long offset) {
        return hold.seek(offset);
    }

    boolean isStopping() {
        return state.isStopping();
    }

    boolean isPaused() {
        return state.isPaused();
    }

    /** Returns whether to renew the partition's lock: it is neither lost nor released. */
    boolean isLocking() {
        return state.isLocking();
    }

    /**
     * Returns the figures of the partition.
     *
     * @param ends where logs end
     * @param waitingBytes of messages that wait for the program outside of this reader
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
            hold.release();
        }
    }

    /** Looks up the offset to start from; repeats until it succeeds, or the reader is stopped or moved. */
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

    /** Goes to the offset to which the program has moved the reader. */
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

    /** Makes the commits that are due. While the partition is paused, waits and continues to commit. */
    private void awaitTurn() {
        do {
            if (config.autoCommit() && commits.untilDueNanos() <= 0) {
                hold.commitProcessed();
            }
        } while (state.awaitTurn(untilCommitNanos()));
    }

    /**
     * Returns the time until the next commit is due if nothing more is processed; the maximum if there is nothing to
     * commit.
     */
    private long untilCommitNanos() {
        return config.autoCommit() ? commits.untilDueNanos() : Long.MAX_VALUE;
    }

    /** Returns the next messages; none if there are none for now, or the reader has other work. */
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

    /** Returns the next messages; none if there are none for now, a commit is due, or the reader has other work. */
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

    /** Calls the processor until it succeeds or must not be called any more; returns whether it succeeded. */
    private boolean process(MessageProcessor processor, List<FetchedMessage> messages) {
        Processed checkpoint = hold.checkpoint(begin, SimpleConsumer.end(messages));
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
            } catch (Exception | Error e) { // Errors too: otherwise the partition would be retaken silently, forever
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
        if (!hold.isOurs()) {
            lost();
        }
        return false;
    }

    /** Waits while the partition is paused. Returns false if the processor must not get the messages that were read. */
    private boolean isTurn(Processed checkpoint) {
        awaitTurn();
        return hold.isOurs() && !checkpoint.isSuperseded() && !(isPaused() && isStopping());
    }

    private void end(MessageProcessor processor) {
        state.awaitPromises();
        if (config.autoCommit() && commits.isBehind() && hold.isOurs()) {
            hold.commitProcessed();
        }
        try {
            processor.stop(hold.checkpoint(begin, commits.end()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception | Error e) {
            LOG.error("processor failed when it was stopped partition={}", partition, e);
        }
    }

    /**
     * Tells the reader, from a processor that passes messages to a polling program, that these will not be processed
     * here. Immutable.
     */
    static final class AbandonedException extends RuntimeException {}
}
