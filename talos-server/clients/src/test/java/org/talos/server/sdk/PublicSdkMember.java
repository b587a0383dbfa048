// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosEndpoint;
import org.talos.common.message.MessageBlocks;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.sdk.PublicSdkCalls.Sdk;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.DescribeTopicGroupRequest;
import org.talos.thrift.DescribeTopicGroupResponse;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOffsetResponse;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsLockWorkerResponse;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerResponse;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.TopicsRenewResponse;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * A member of a group that makes the calls of a public SDK, in its order, and does with the answers what that one does:
 * {@code TalosConsumer} of Java, or {@code TalosTopicsConsumer} of Go for a topic group of one topic. Its intervals are
 * a part of theirs, whose shortest look is every 10 s.
 *
 * <p>Thread-safe.
 */
final class PublicSdkMember implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PublicSdkMember.class);
    private static final String GROUP = "shop";
    private static final Duration FETCH_INTERVAL = Duration.ofMillis(100); // 50 to 800 there
    private static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);
    private static final int MAX_MESSAGES = 1_000;
    private static final int MAX_BYTES = 2 << 20;
    private static final long MAX_PLAIN_BYTES = 64 << 20;

    private final PublicSdkCalls calls;
    private final String topicName;
    private final String id;
    private final GroupReadings readings;
    private final Random random;
    private final Map<Integer, Fetcher> fetchers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService looking =
            Executors.newScheduledThreadPool(1, new NamedThreads("public-look"));
    private final ScheduledExecutorService renewing =
            Executors.newScheduledThreadPool(1, new NamedThreads("public-renew"));
    private final ExecutorService threads = Executors.newCachedThreadPool(new NamedThreads("public-fetch"));
    private final CountDownLatch killed = new CountDownLatch(1);
    private final ReentrantLock renewal = new ReentrantLock();
    private TopicTalosResourceName topic = new TopicTalosResourceName();
    private int partitions;
    private volatile Map<String, List<Integer>> workers = Map.of();

    /**
     * A member that has not started.
     *
     * @param topicName the topic, and the topic group of the Go SDK that holds it alone
     * @param id as the SDK makes it: address, hyphen, prefix, milliseconds, eight digits
     */
    PublicSdkMember(Sdk sdk, TalosEndpoint endpoint, String topicName, String id, GroupReadings readings, long seed) {
        calls = new PublicSdkCalls(sdk, endpoint);
        this.topicName = topicName;
        this.id = id;
        this.readings = readings;
        random = new Random(seed);
    }

    String id() {
        return id;
    }

    private boolean isGo() {
        return calls.sdk() == Sdk.GO;
    }

    PublicSdkMember start(Duration lookInterval, Duration renewInterval) throws Exception {
        if (isGo()) {
            calls.call(
                    "topic",
                    "describeTopicGroup",
                    new DescribeTopicGroupRequest(topicName),
                    new DescribeTopicGroupResponse());
        }
        GetDescribeInfoResponse info = describe();
        topic = info.getTopicTalosResourceName();
        partitions = info.getPartitionNumber();
        calls.call("message", "getScheduleInfo", new GetScheduleInfoRequest(topic), new GetScheduleInfoResponse());
        if (!isGo()) {
            describe();
        }
        register();
        workers = query();
        if (!workers.containsKey(id)) {
            throw new IllegalStateException("not among the workers: the Java SDK dies of that");
        }
        balance();
        schedule(looking, this::look, lookInterval);
        schedule(renewing, this::renew, renewInterval);
        return this;
    }

    private static void schedule(ScheduledExecutorService timers, Runnable what, Duration every) {
        var unused = timers.scheduleWithFixedDelay(what, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private GetDescribeInfoResponse describe() throws Exception {
        return calls.call(
                "topic", "getDescribeInfo", new GetDescribeInfoRequest(topicName), new GetDescribeInfoResponse());
    }

    private ConsumeUnit unit(List<Integer> of) {
        return new ConsumeUnit(GROUP, topic, of, id);
    }

    private void register() throws Exception {
        boolean registered = isGo()
                ? calls.call(
                                "consumer",
                                "lockWorkerForTopics",
                                new TopicsLockWorkerRequest(GROUP, List.of(topic), id, ""),
                                new TopicsLockWorkerResponse())
                        .isRegisterSuccess()
                : calls.call("consumer", "lockWorker", new LockWorkerRequest(unit(List.of())), new LockWorkerResponse())
                        .isRegisterSuccess();
        if (!registered) {
            throw new IllegalStateException("not registered: the Go SDK panics");
        }
    }

    private Map<String, List<Integer>> query() throws Exception {
        if (!isGo()) {
            return calls.call(
                            "consumer", "queryWorker", new QueryWorkerRequest(GROUP, topic), new QueryWorkerResponse())
                    .getWorkerMap();
        }
        Map<String, List<Integer>> all = new HashMap<>();
        calls.call(
                        "consumer",
                        "queryWorkerForTopics",
                        new TopicsQueryWorkerRequest(GROUP, List.of(topic), ""),
                        new TopicsQueryWorkerResponse())
                .getWorkerMap()
                .forEach((worker, held) -> all.put(
                        worker,
                        held.stream().map(TopicAndPartition::getPartitionId).toList()));
        return all;
    }

    private void look() {
        try {
            Map<String, List<Integer>> now = query();
            if (now.containsKey(id)) {
                workers = now;
            }
        } catch (Exception e) {
            failed("look", e);
        }
        balance();
    }

    private void failed(String what, Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        if (killed.getCount() > 0) {
            LOG.warn("a call of a public SDK failed member={} call={}", id, what, e);
        }
    }

    private void balance() {
        List<String> order = new ArrayList<>(workers.keySet());
        order.sort(Comparator.<String>comparingInt(
                        each -> workers.getOrDefault(each, List.of()).size())
                .thenComparing(Comparator.naturalOrder())
                .reversed());
        int place = order.indexOf(id);
        if (place < 0 || place >= partitions) {
            return; // no target
        }
        int target = partitions / order.size() + (place < partitions % order.size() ? 1 : 0);
        List<Integer> has = fetchers.values().stream()
                .filter(each -> !each.stopping)
                .map(each -> each.partition)
                .collect(Collectors.toCollection(ArrayList::new));
        if (has.size() > target) {
            has.subList(0, has.size() - target).forEach(this::release);
            return;
        }
        List<Integer> free = IntStream.range(0, partitions).boxed().collect(Collectors.toCollection(ArrayList::new));
        workers.values().forEach(free::removeAll);
        Collections.shuffle(free, random);
        free.subList(0, Math.min(free.size(), target - has.size())).forEach(this::take);
    }

    private void take(int partition) {
        Fetcher fetcher = new Fetcher(partition);
        if (fetchers.putIfAbsent(partition, fetcher) == null) {
            threads.execute(fetcher);
        }
    }

    private void release(int partition) {
        Fetcher fetcher = fetchers.get(partition);
        if (fetcher != null) {
            fetcher.stopping = true;
        }
    }

    /** One repetition, then what the SDK does with a refusal: Go ignores single partitions that are lost. */
    private void renew() {
        renewal.lock(); // the SDKs have no such lock: a renewal that overtakes a release locks the partition again
        try {
            if (!renewed(false)) {
                renewed(true);
            }
        } catch (Exception e) {
            failed("renew", e);
        } finally {
            renewal.unlock();
        }
    }

    private boolean renewed(boolean again) throws Exception {
        List<Integer> held = List.copyOf(fetchers.keySet());
        boolean alive;
        List<Integer> lost;
        if (isGo()) {
            TopicsConsumeUnit all =
                    new TopicsConsumeUnit(GROUP, Map.of(topic.getTopicTalosResourceName(), held), id, "");
            TopicsRenewResponse answer =
                    calls.call("consumer", "renewForTopics", new TopicsRenewRequest(all), new TopicsRenewResponse());
            alive = answer.isHeartbeatSuccess();
            lost = List.of();
        } else {
            RenewResponse answer = calls.call("consumer", "renew", new RenewRequest(unit(held)), new RenewResponse());
            alive = answer.isHeartbeatSuccess();
            lost = answer.getFailedPartitionList();
        }
        if (again) {
            (alive ? lost : held).forEach(this::release);
        }
        return alive && lost.isEmpty();
    }

    /** A call, or a few. */
    private interface Attempt {
        void run() throws Exception;
    }

    /** Reads one partition, from its lock to its release. Confined: to one thread, but for {@link #stopping}. */
    private final class Fetcher implements Runnable {
        private final int partition;
        private final TopicAndPartition name;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean stopping;
        private long processed = -1;
        private long committed = -1;
        private long committedAtMillis = calls.deadlineMillis();

        Fetcher(int partition) {
            this.partition = partition;
            name = new TopicAndPartition(topicName, topic, partition);
        }

        @Override
        public void run() {
            try {
                if (locked()) {
                    try {
                        read();
                        tried("updateOffset", this::commit);
                    } finally {
                        unlock();
                    }
                }
            } catch (Exception e) { // a lock that is not taken or not released: both wait for a later round
                failed("fetcher", e);
            } finally {
                fetchers.remove(partition);
                ended.countDown();
            }
        }

        private boolean locked() throws Exception {
            return calls.call(
                            "consumer",
                            "lockPartition",
                            new LockPartitionRequest(unit(List.of(partition))),
                            new LockPartitionResponse())
                    .getSuccessPartitions()
                    .contains(partition);
        }

        private void read() throws Exception {
            QueryOffsetRequest asked = new QueryOffsetRequest(GROUP, name);
            committed = calls.call("consumer", "queryOffset", asked, new QueryOffsetResponse())
                    .getMsgOffset();
            processed = committed;
            while (!stopping && killed.getCount() > 0) {
                tried("getMessage", this::fetch);
                if (calls.deadlineMillis() - committedAtMillis >= COMMIT_INTERVAL.toMillis()) {
                    tried("updateOffset", this::commit);
                }
                if (killed.await(FETCH_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        }

        /** Makes an attempt; after a failure it is made again after the next pause. */
        private void tried(String what, Attempt attempt) {
            try {
                attempt.run();
            } catch (Exception e) {
                failed(what, e);
            }
        }

        private void fetch() throws Exception {
            GetMessageRequest asked = new GetMessageRequest(
                    name, processed < 0 ? -1 : processed + 1, id + "#1"); // -1: the first there is
            asked.setMaxGetMessageNumber(MAX_MESSAGES);
            asked.setMaxGetMessageBytes(MAX_BYTES);
            asked.setTimeoutTimestamp(calls.deadlineMillis());
            if (isGo()) {
                asked.setShowUnHandledMessageNumber(false);
            }
            GetMessageResponse answer = calls.call("message", "getMessage", asked, new GetMessageResponse());
            List<Long> offsets = new ArrayList<>();
            for (MessageBlock block : answer.getMessageBlocks()) {
                for (MessageAndOffset each : MessageBlocks.read(block, MAX_PLAIN_BYTES)) {
                    if (each.getMessageOffset() > processed) {
                        offsets.add(each.getMessageOffset());
                    }
                }
            }
            if (!offsets.isEmpty() && killed.getCount() > 0) {
                processed = offsets.get(offsets.size() - 1);
                readings.processed(id, partition, offsets);
            }
        }

        private void commit() throws Exception {
            if (processed > committed && killed.getCount() > 0) {
                UpdateOffsetRequest asked = new UpdateOffsetRequest(new CheckPoint(GROUP, name, processed, id));
                if (calls.call("consumer", "updateOffset", asked, new UpdateOffsetResponse())
                        .isSuccess()) {
                    committed = processed;
                }
            }
            committedAtMillis = calls.deadlineMillis();
        }

        private void unlock() throws Exception {
            if (killed.getCount() == 0) {
                return;
            }
            renewal.lock();
            try {
                calls.send("consumer", "unlockPartition", new UnlockPartitionRequest(unit(List.of(partition))));
                fetchers.remove(partition);
            } finally {
                renewal.unlock();
            }
        }
    }

    /** Makes no further call. */
    void kill() {
        killed.countDown();
        looking.shutdownNow();
        renewing.shutdownNow();
        threads.shutdownNow();
    }

    /**
     * Releases all partitions, which is all that the SDKs tell the server: Java at once, Go one after another while it
     * continues renewing.
     */
    @Override
    public void close() {
        looking.shutdown();
        List<Fetcher> all = List.copyOf(fetchers.values());
        if (!isGo()) {
            renewing.shutdown();
            all.forEach(each -> each.stopping = true);
        }
        try {
            for (Fetcher each : all) {
                each.stopping = true;
                each.ended.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        renewing.shutdown();
        threads.shutdown();
    }
}
