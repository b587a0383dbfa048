// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.TopicGroup;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.TalosProducer;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.sdk.PublicSdkCalls.Sdk;
import org.talos.server.testing.TestServer;

/**
 * A server, a topic to which a producer puts all the time, and a group of this SDK's consumers and of members that make
 * the public SDKs' calls.
 *
 * <p>Confined: the test.
 */
final class MixedGroup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MixedGroup.class);

    static final int PARTITIONS = 12;
    /** The interval at which the public SDKs' members poll their group; outside of tests, 10 s at least. */
    static final Duration PUBLIC_LOOK = Duration.ofMillis(700);

    private static final Duration RENEWAL = Duration.ofSeconds(1);

    private static final int CALLS_OF_A_HANDOVER = 7; // commit, unlock, leave; look, lock, start offset, get

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(60); // of a partition
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final GroupReadings readings = new GroupReadings();
    private final Queue<GroupDescription> seen = new ConcurrentLinkedQueue<>();
    private final AtomicLong lookBegan = new AtomicLong();
    private final Queue<Observation> observations = new ConcurrentLinkedQueue<>();
    private final List<Runnable> closes = new ArrayList<>();
    private final ScheduledExecutorService timers =
            Executors.newScheduledThreadPool(2, new NamedThreads("mixed-group"));
    private final ExecutorService polls = Executors.newCachedThreadPool(new NamedThreads("mixed-group-poll"));
    private final ConsumerConfig config;
    private final TestServer server;
    private final TalosClient client;
    private final TopicDescription topic;
    private final TalosProducer producer;
    private final ScheduledFuture<?> producing;

    /**
     * A group without members.
     *
     * @param life of a lock that nobody renews
     */
    MixedGroup(Path data, Duration life) throws Exception {
        config = ConsumerConfig.builder() // looks as often as without a configuration
                .renewInterval(RENEWAL)
                .lockTtl(life)
                .commitInterval(Duration.ofMillis(500))
                .closeTimeout(Duration.ofSeconds(2))
                .build();
        server = TestServer.start(data, Map.of("SERVICE_MEMBERTTL", life.toSeconds() + "s"));
        client = new TalosClient(ClientConfig.of(server.endpoint()));
        TalosAdmin admin = new TalosAdmin(client);
        topic = admin.createTopic(NewTopic.of("orders", PARTITIONS));
        admin.createTopicGroup(TopicGroup.of("orders", "orders"));
        ProducerConfig often =
                ProducerConfig.builder().linger(Duration.ofMillis(1)).build();
        producer = new TalosProducer(client, "orders", often);
        producing = every(BETWEEN_MESSAGES, this::put);
        var unused = every(BETWEEN_LOOKS, this::look);
    }

    /** A thing done again and again by a timer, until it fails. */
    private interface Step {
        void run() throws Exception;
    }

    private ScheduledFuture<?> every(Duration interval, Step step) {
        return timers.scheduleWithFixedDelay(
                () -> {
                    try {
                        step.run();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                0,
                interval.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void put() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            var unused = producer.send(partition, OutgoingMessage.of("m"));
        }
    }

    private void look() {
        long before = readings.now();
        lookBegan.set(before);
        try {
            seen.add(describe());
        } catch (TalosClientException e) {
            LOG.info("the group cannot be described, it is tried again code={}", e.code());
        }
        observations.add(new Observation(before, readings.now()));
    }

    /** A description that was asked for, from the call to its answer. Immutable. */
    private record Observation(long fromNanos, long toNanos) {}

    /**
     * The most that a machine busy with other things adds to a hand-over since a time: it is some calls one after
     * another, each as long at worst as a description took.
     */
    Duration slowness(long sinceNanos) {
        return longestCall(sinceNanos).multipliedBy(CALLS_OF_A_HANDOVER);
    }

    /** Returns whether calls took so long that renewals were abandoned, and with them locks of members that live. */
    boolean isTooSlowForRenewals() {
        return longestCall(Long.MIN_VALUE).compareTo(RENEWAL.dividedBy(2)) > 0;
    }

    private Duration longestCall(long sinceNanos) {
        long underWay = readings.now() - lookBegan.get();
        long longest = observations.stream()
                .filter(each -> each.toNanos > sinceNanos)
                .mapToLong(each -> each.toNanos - each.fromNanos)
                .max()
                .orElse(underWay);
        return Duration.ofNanos(longest);
    }

    private GroupDescription describe() throws TalosClientException {
        return new GroupAdmin(client).describe("orders", "shop");
    }

    /** Returns the messages that the members have processed. */
    GroupReadings readings() {
        return readings;
    }

    /** A consumer of this SDK with a processor. */
    TalosConsumer join() throws Exception {
        return join(server.uri());
    }

    /** The same, whose connections {@link CutProxy#cut} cuts. */
    TalosConsumer join(CutProxy proxy) throws Exception {
        return join(proxy.uri());
    }

    /** A proxy before the server. */
    CutProxy proxy() throws Exception {
        CutProxy proxy = CutProxy.before(server.uri());
        closes.add(proxy::close);
        return proxy;
    }

    private TalosConsumer.Builder builder(URI uri) throws Exception {
        TalosEndpoint endpoint = server.endpoint();
        TalosClient own = new TalosClient(
                ClientConfig.of(uri, endpoint.accessKey(), endpoint.secretKey()).withoutDirectRouting());
        closes.add(own::close);
        return TalosConsumer.builder(own, "shop").topics("orders").config(config);
    }

    private TalosConsumer join(URI uri) throws Exception {
        AtomicReference<String> name = new AtomicReference<>("");
        TalosConsumer consumer = builder(uri)
                .processor((messages, checkpoint) -> processed(name.get(), messages))
                .build();
        name.set(consumer.member());
        return consumer.start();
    }

    /** A consumer of this SDK that is polled. */
    PollingConsumer joinPolling() throws Exception {
        PollingConsumer consumer = builder(server.uri()).buildPolling().start();
        polls.execute(() -> {
            try {
                while (!polls.isShutdown()) {
                    processed(consumer.member(), consumer.poll(Duration.ofSeconds(1)));
                }
            } catch (TalosClientException e) {
                assertThat(e.code()).isEqualTo("CLOSED");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return consumer;
    }

    private void processed(String member, List<FetchedMessage> messages) {
        Map<Integer, List<Long>> offsets = new TreeMap<>();
        messages.forEach(each -> offsets.computeIfAbsent(each.partition(), number -> new ArrayList<>())
                .add(each.offset()));
        offsets.forEach((partition, of) -> readings.processed(member, partition, of));
    }

    /** A member that makes the calls of a public SDK. */
    PublicSdkMember join(Sdk sdk) throws Exception {
        int number = closes.size();
        String id = "127_0_0_1-dep1700000000000" + "0000000" + number;
        PublicSdkMember member = new PublicSdkMember(sdk, server.endpoint(), "orders", id, readings, number);
        closes.add(member::close);
        return member.start(PUBLIC_LOOK, RENEWAL);
    }

    /** Waits until members hold equal shares of all partitions, and read them. */
    void awaitMembers(int number) {
        int share = PARTITIONS / number;
        await().atMost(PATIENCE).until(() -> {
            Map<String, List<Integer>> members = describe().members();
            return members.size() == number && members.values().stream().allMatch(each -> each.size() == share);
        });
        // Who was given a partition may not have processed anything of it yet.
        await().atMost(PATIENCE)
                .until(() -> describe().members().entrySet().stream()
                        .allMatch(each -> readings.partitionsOf(each.getKey()).equals(Set.copyOf(each.getValue()))));
    }

    /** Ends the producer, and waits until all that it has put is processed. */
    private Map<Integer, Long> awaitEnds() throws Exception {
        producing.cancel(false);
        timers.shutdown();
        assertThat(timers.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        producer.flush();
        Map<Integer, Long> ends = new HashMap<>();
        new TalosAdmin(client).offsets(topic).forEach(each -> ends.put(each.partition(), each.endExclusive()));
        await().atMost(PATIENCE)
                .until(() -> ends.entrySet().stream().allMatch(each -> readings.end(each.getKey()) == each.getValue()));
        return ends;
    }

    /**
     * Checks that every message was processed, those of a partition in order, and that no commit went back.
     *
     * @param killed after whom messages may come again
     */
    void assertNothingSkipped(Set<String> killed) throws Exception {
        readings.assertWhole(awaitEnds(), killed);
        Map<Integer, Long> committed = new HashMap<>();
        for (GroupDescription each : seen) {
            each.partitions().forEach(of -> {
                long before = committed.getOrDefault(of.partition(), 0L);
                long now = of.committed().orElse(0);
                assertThat(now).as("commit of partition %d", of.partition()).isGreaterThanOrEqualTo(before);
                committed.put(of.partition(), now);
            });
        }
        assertThat(committed.values()).allMatch(each -> each > 0);
    }

    @Override
    public void close() {
        timers.shutdownNow();
        closes.forEach(Runnable::run);
        polls.shutdownNow();
        client.close();
        server.close();
    }
}
