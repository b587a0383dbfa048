// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetDescribeInfoResponse;

/**
 * A member of a consumer group: reads its share of a topic's partitions, and hands partitions over when members join
 * and leave. The members may use any SDK.
 *
 * <p>One member at a time reads a partition, by a lock that it renews. The messages of a partition are processed in
 * order, each at least once: those processed after the last commit are read again after a crash. When the lock may have
 * expired, because the servers could not be reached for that long, nothing more is processed.
 *
 * <p>Thread-safe.
 */
public final class TalosConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosConsumer.class);
    private static final Duration PAUSE_FOR_A_MEMBER = Duration.ofMillis(5);
    private static final Duration SHORTEST_LEAVE = Duration.ofSeconds(1);

    private final ClientCalls calls;
    private final String topic;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final String member;
    private final GroupCalls group;
    private final StartOffsets starts;
    private final String resourceName;
    private final Map<Integer, Running> readers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timers;
    private final ExecutorService threads;
    private volatile long renewedAtNanos;
    private volatile long pausedUntilNanos;
    private final Backoff balancing = new Backoff(); // of the periodic task alone
    private volatile long checkedAtNanos;
    private volatile int partitions;
    private volatile boolean closed;
    private volatile @Nullable TalosClientException failure;

    /** A reader and the future of its run. Immutable. */
    private record Running(PartitionReader reader, Future<?> run) {}

    /**
     * A consumer that has joined its group and reads in the background.
     *
     * @param factory makes a processor for each partition that is read
     * @throws TalosClientException the topic can't be looked up, or the group is full
     */
    public TalosConsumer(
            TalosClient client, String topic, String group, ConsumerConfig config, MessageProcessor.Factory factory)
            throws TalosClientException {
        calls = client.calls();
        timers = Executors.newScheduledThreadPool(2, calls.threads("group"));
        threads = Executors.newCachedThreadPool(calls.threads("reader"));
        this.topic = topic;
        this.config = config;
        this.factory = factory;
        GetDescribeInfoResponse info = describe();
        resourceName = info.getTopicTalosResourceName().getTopicTalosResourceName();
        partitions = info.getPartitionNumber();
        // The servers' metrics take the part before the hyphen for an address.
        member = MemberAddress.local() + "-" + calls.nowMillis()
                + UUID.randomUUID().toString().substring(0, 8);
        this.group = new GroupCalls(calls, topic, resourceName, group, member);
        starts = new StartOffsets(this.group, config);
        renewedAtNanos = calls.nanos();
        pausedUntilNanos = renewedAtNanos;
        checkedAtNanos = calls.nanos();
        this.group.register();
        repeat(this::renew, config.times().renew(), config.times().renew());
        repeat(this::balance, Duration.ZERO, config.times().balance());
    }

    /** A consumer with the default configuration. */
    public TalosConsumer(TalosClient client, String topic, String group, MessageProcessor.Factory factory)
            throws TalosClientException {
        this(client, topic, group, ConsumerConfig.defaults(), factory);
    }

    private GetDescribeInfoResponse describe() throws TalosClientException {
        return calls.result(RemoteCall.of(
                Service.TOPIC,
                "getDescribeInfo",
                new GetDescribeInfoRequest(topic),
                GetDescribeInfoResponse::new,
                true));
    }

    private void repeat(Runnable what, Duration first, Duration every) {
        var unused = timers.scheduleWithFixedDelay(
                () -> {
                    try {
                        what.run();
                    } catch (RuntimeException | Error e) { // it would not be called again
                        LOG.error("a periodic task of the group failed topic={} member={}", topic, member, e);
                    }
                },
                first.toNanos(),
                every.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** This member's name in the group. */
    public String member() {
        return member;
    }

    /** The partitions that this member reads now. */
    public Set<Integer> partitions() {
        Set<Integer> reading = new TreeSet<>();
        readers.forEach((partition, running) -> {
            if (!running.reader.isStopping()) {
                reading.add(partition);
            }
        });
        return reading;
    }

    /** The failure that has ended reading: the topic was deleted. Empty while the consumer reads. */
    public Optional<TalosClientException> failure() {
        return Optional.ofNullable(failure);
    }

    private void balance() {
        if (closed || failure != null || calls.nanos() - pausedUntilNanos < 0) {
            return;
        }
        try {
            checkTopic();
            if (failure != null) {
                return;
            }
            Map<String, List<Integer>> members = group.members();
            // All members ask for all of them.
            pausedUntilNanos = calls.nanos()
                    + PAUSE_FOR_A_MEMBER.multipliedBy(members.size()).toNanos();
            starts.seen(members, member);
            Balance balance = Balance.of(members, member, partitions, partitions());
            balance.release().forEach(this::release);
            for (int partition : balance.take()) {
                if (!closed && !readers.containsKey(partition) && group.lock(partition)) {
                    read(partition);
                }
            }
            balancing.succeeded();
        } catch (TalosClientException e) {
            unbalanced(e);
        }
    }

    private void unbalanced(TalosClientException e) {
        boolean isNew = balancing.isNew(e);
        Duration pause = balancing.failed(e);
        pausedUntilNanos = calls.nanos() + pause.toNanos();
        if (isNew) {
            LOG.warn("the group can't be balanced, tried again later topic={} code={}", topic, e.code(), e);
        } else {
            LOG.warn(
                    "the group still can't be balanced topic={} code={} pause={} reason={}",
                    topic,
                    e.code(),
                    pause,
                    e.getMessage());
        }
    }

    private void checkTopic() throws TalosClientException {
        if (calls.nanos() - checkedAtNanos < config.times().topicCheck().toNanos()) {
            return;
        }
        checkedAtNanos = calls.nanos();
        try {
            GetDescribeInfoResponse info = describe();
            if (info.getTopicTalosResourceName().getTopicTalosResourceName().equals(resourceName)) {
                partitions = info.getPartitionNumber();
                return;
            }
            failure = new FatalException("TOPIC_NOT_EXIST", "TOPIC_NOT_EXIST: it was deleted and made again", null);
        } catch (FatalException e) {
            if (!e.code().equals("TOPIC_NOT_EXIST")) {
                throw e;
            }
            failure = e;
        }
        LOG.error("the topic was deleted, nothing more is read topic={}", topic);
        timers.shutdown(); // neither a heartbeat nor a poll is of use any more
        readers.values().forEach(each -> each.reader.lost());
    }

    private void release(int partition) {
        Running running = readers.get(partition);
        if (running != null) {
            LOG.info("partition released topic={} partition={} reason=balance", topic, partition);
            running.reader.stop();
        }
    }

    private synchronized void read(int partition) throws TalosClientException {
        if (closed) {
            group.unlock(partition, () -> {}); // it is among no readers, so no renewal names it
            return;
        }
        LOG.info("partition taken topic={} partition={} member={}", topic, partition, member);
        PartitionReader reader = new PartitionReader(calls, group, partition, config, factory, this::isHeld, starts);
        FutureTask<?> run = new FutureTask<>(
                () -> {
                    try {
                        reader.run();
                    } finally {
                        readers.remove(partition);
                    }
                },
                null);
        readers.put(partition, new Running(reader, run));
        try {
            threads.execute(run);
        } catch (RuntimeException | Error e) { // no thread left: somebody else may have one
            LOG.error("partition can't be read here topic={} partition={}", topic, partition, e);
            group.unlock(partition, () -> readers.remove(partition));
        }
    }

    /** Whether the locks have surely not expired: their time counts from before the last renewal was sent. */
    private boolean isHeld() {
        return calls.nanos() - renewedAtNanos < config.times().lockTtl().toNanos();
    }

    private void renew() {
        long start = calls.nanos();
        if (!isHeld()) { // others may have read meanwhile: these readers' offsets are stale
            Set.copyOf(readers.keySet()).forEach(this::lost);
        }
        Set<Integer> locked = new HashSet<>();
        try {
            GroupCalls.Renewal renewal = group.renew(
                    () -> {
                        readers.forEach((partition, running) -> {
                            if (running.reader.isLocking()) {
                                locked.add(partition);
                            }
                        });
                        return locked;
                    },
                    config.times().renew());
            if (renewal.alive()) {
                renewedAtNanos = start;
                renewal.lost().forEach(this::lost);
            } else {
                locked.forEach(this::lost);
            }
        } catch (TalosClientException e) {
            LOG.warn("member can't renew topic={} member={} code={}", topic, member, e.code(), e);
        }
    }

    private void lost(int partition) {
        Running running = readers.get(partition);
        if (running != null) {
            LOG.warn("partition lost topic={} partition={}", topic, partition);
            running.reader.lost();
        }
    }

    /**
     * Lets processors finish their current call, commits, releases all partitions, and leaves the group, so that the
     * other members take them at once. Waits for that up to the configured time-out; the locks of processors that do
     * not finish expire. May be called twice.
     */
    @Override
    public void close() {
        boolean first;
        synchronized (this) {
            first = !closed;
            closed = true;
        }
        readers.values().forEach(each -> each.reader.stop());
        long end = calls.nanos() + config.closeTimeout().toNanos();
        boolean interrupted = false;
        boolean finished = true;
        for (Map.Entry<Integer, Running> each : Map.copyOf(readers).entrySet()) {
            try {
                each.getValue().run.get(Math.max(0, end - calls.nanos()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
                finished = false;
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("a processor does not finish topic={} partition={}", topic, each.getKey(), e);
                finished = false;
            }
        }
        timers.shutdown();
        if (first && finished && failure == null) {
            interrupted = !leave(end);
        }
        timers.shutdownNow();
        threads.shutdown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Leaves the group once no heartbeat is under way, which would join it again. A member whose processors go on keeps
     * its locks until they expire: the next reader of a partition must not begin before.
     *
     * @return false if the thread was interrupted
     */
    private boolean leave(long endNanos) {
        try {
            if (timers.awaitTermination(Math.max(0, endNanos - calls.nanos()), TimeUnit.NANOSECONDS)) {
                group.leave(Duration.ofNanos(Math.max(endNanos - calls.nanos(), SHORTEST_LEAVE.toNanos())));
            }
            return true;
        } catch (InterruptedException e) {
            return false;
        } catch (TalosClientException e) { // a server before this call was, among others
            LOG.info("member does not leave, it expires topic={} member={} code={}", topic, member, e.code());
            return true;
        }
    }
}
