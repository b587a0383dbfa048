// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.AcknowledgedPuts;

/**
 * A producer for each partition that continues whatever happens: a put that failed is sent again, as the same put,
 * until it is acknowledged. What was acknowledged is kept here, so that the servers need not be believed.
 *
 * <p>Confined: the test.
 */
public final class Load {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration PACE = Duration.ofMillis(20);
    private static final Manner HARD = new Manner("", Duration.ZERO, 8_000);

    private final TopicDescription topic;
    private final Manner manner;
    private final List<Producer> producers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Integer> failures = new ConcurrentSkipListMap<>();
    private CountDownLatch stopped = new CountDownLatch(1);

    /**
     * Kind and pace of the puts of producers. Immutable.
     *
     * @param name begins each value: another one for each load of a topic
     * @param pause of a producer between two puts
     */
    private record Manner(String name, Duration pause, int maxValueChars) {}

    /** On all partitions of a topic, as fast as can be. */
    public Load(TopicDescription topic, SplittableRandom random) {
        this(topic, HARD, random);
    }

    private Load(TopicDescription topic, Manner manner, SplittableRandom random) {
        this.topic = topic;
        this.manner = manner;
        for (int partition = 0; partition < topic.partitions(); partition++) {
            producers.add(new Producer(partition, random.split()));
        }
    }

    /**
     * On all partitions of a topic, some 30 small puts a second for each, for tests that take long.
     *
     * @param name begins each value: another one for each load of a topic
     */
    public static Load gentle(String name, TopicDescription topic, SplittableRandom random) {
        return new Load(topic, new Manner(name, Duration.ofMillis(30), 500), random);
    }

    TopicDescription topic() {
        return topic;
    }

    /** Begins, or continues where it was stopped, at this server, each put once. */
    void start(TalosEndpoint endpoint) {
        start(once(endpoint));
    }

    private static TalosClient once(TalosEndpoint endpoint) {
        return new TalosClient(ClientConfig.of(endpoint).withDeadline(Duration.ZERO));
    }

    /** The same by a client of any kind. */
    public void start(TalosClient client) {
        stopped = new CountDownLatch(1);
        for (Producer producer : producers) {
            CountDownLatch mine = stopped;
            Thread thread =
                    new Thread(() -> producer.putUntil(mine, client), "load-" + manner.name + producer.partition);
            thread.setDaemon(true); // a test that fails does not stop it
            thread.start();
            threads.add(thread);
        }
    }

    /** Waits until each partition has acknowledged so many puts more than by now. */
    public void awaitMore(int puts) {
        List<Integer> targets =
                producers.stream().map(each -> each.answered.get() + puts).toList();
        Awaitility.await().atMost(PATIENCE).pollInterval(PACE).untilAsserted(() -> {
            for (Producer each : producers) {
                assertThat(each.answered.get())
                        .as("acknowledged puts of partition %s; failures: %s", each.partition, failures)
                        .isGreaterThanOrEqualTo(targets.get(each.partition));
            }
        });
    }

    /** Waits until one more put of each partition has failed. */
    void awaitFailure() {
        List<Integer> targets =
                producers.stream().map(each -> each.failed.get() + 1).toList();
        Awaitility.await().atMost(PATIENCE).pollInterval(PACE).untilAsserted(() -> {
            for (Producer each : producers) {
                assertThat(each.failed.get())
                        .as("failed puts of partition %s", each.partition)
                        .isGreaterThanOrEqualTo(targets.get(each.partition));
            }
        });
    }

    /** Puts acknowledged by now, in all partitions. */
    public int acknowledged() {
        return producers.stream().mapToInt(each -> each.answered.get()).sum();
    }

    /** Answers that were no success, by their code. */
    public Map<String, Integer> failures() {
        return failures;
    }

    /** Ends the load and waits for its threads; may be called twice. */
    public void stop() throws InterruptedException {
        stopped.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
    }

    /** Every acknowledged value is there once, in order, and no offset is missing but in gaps that a log may have. */
    public void check(TalosClient client) throws TalosClientException {
        for (Producer producer : producers) {
            assertThat(producer.puts.compare(StoredMessages.of(client, topic, producer.partition)))
                    .as("partition %s", producer.partition)
                    .isEmpty();
        }
    }

    /** The same at one server. */
    void check(TalosEndpoint endpoint) throws TalosClientException {
        check(once(endpoint));
    }

    /** Of one partition. Its numbers may be looked at by others; all else is its thread's. */
    private final class Producer {
        private final int partition;
        private final SplittableRandom random;
        private final AcknowledgedPuts puts = new AcknowledgedPuts();
        private int next;
        private final AtomicInteger answered = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private @Nullable List<String> values; // of a put that has not been acknowledged
        private SimpleProducer.@Nullable Prepared put;

        Producer(int partition, SplittableRandom random) {
            this.partition = partition;
            this.random = random;
        }

        void putUntil(CountDownLatch stop, TalosClient client) {
            SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE);
            Duration pause = Duration.ZERO;
            while (!isOver(stop, pause)) {
                // After a failure it is not tried again at once.
                pause = putOnce(producer) ? manner.pause : PACE;
            }
        }

        private static boolean isOver(CountDownLatch stop, Duration pause) {
            try {
                return stop.await(pause.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }

        private boolean putOnce(SimpleProducer producer) {
            List<String> sent = values == null ? newValues() : values;
            values = sent;
            SimpleProducer.Prepared prepared = put == null
                    ? producer.prepare(
                            partition, sent.stream().map(OutgoingMessage::of).toList())
                    : put;
            put = prepared;
            try {
                producer.repeat(prepared);
            } catch (TalosClientException e) {
                failed.incrementAndGet();
                failures.merge(e.code() + "/" + e.outcome(), 1, Integer::sum);
                return false;
            }
            sent.forEach(puts::acknowledged);
            values = null;
            put = null;
            answered.incrementAndGet();
            return true;
        }

        private List<String> newValues() {
            List<String> made = new ArrayList<>();
            for (int left = 1 + random.nextInt(3); left > 0; left--) {
                made.add(manner.name + partition + "-" + next++ + "-"
                        + "x".repeat(random.nextInt(manner.maxValueChars)));
            }
            return made;
        }
    }
}
