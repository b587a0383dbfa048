// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.talos.bench.load.NumberedMessages;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.SimpleProducer;

/**
 * Puts numbered messages to each partition at a steady pace, one in flight, each repeated with its identity until it is
 * acknowledged. A put that waited is not made up for: the pace continues from its acknowledgement.
 *
 * <p>Confined: the main thread, but for its putting threads.
 */
final class PacedPuts implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final int SHORT_PAUSE_MILLIS = 10;
    /** A client without service for minutes must not take the processors from the recovery. */
    private static final int LONG_PAUSE_MILLIS = 50;

    private static final int LOOK_MILLIS = 10;

    private final TalosClient client;
    private final TopicDescription topic;
    private final NumberedMessages messages;
    private final long paceNanos;
    private final ExecutorService threads;
    private final List<AcknowledgedTimes> times;
    private final List<Future<Long>> running = new ArrayList<>();
    private volatile boolean ending;

    /**
     * Starts a thread for each partition.
     *
     * @param client the caller's, which is closed after this
     * @param size of a message in bytes
     * @param pace from one put of a partition to the next
     */
    PacedPuts(TalosClient client, TopicDescription topic, int size, Duration pace) {
        this.client = client;
        this.topic = topic;
        messages = new NumberedMessages(size);
        paceNanos = pace.toNanos();
        threads = Executors.newFixedThreadPool(topic.partitions());
        times = Stream.generate(AcknowledgedTimes::new)
                .limit(topic.partitions())
                .toList();
        SimpleProducer producer = new SimpleProducer(client.once(), topic, Compression.NONE);
        for (int partition = 0; partition < topic.partitions(); partition++) {
            int to = partition;
            running.add(threads.submit(() -> put(producer, to)));
        }
    }

    private long put(SimpleProducer producer, int partition) throws TalosClientException, InterruptedException {
        AcknowledgedTimes acknowledged = times.get(partition);
        long due = System.nanoTime();
        long number = 0;
        for (; !ending; number++) {
            put(producer, partition, number);
            long now = System.nanoTime();
            acknowledged.add(now);
            due = Math.max(due + paceNanos, now);
            Thread.sleep(Duration.ofNanos(due - now).toMillis());
        }
        put(producer, partition, NumberedMessages.LAST);
        return number;
    }

    private void put(SimpleProducer producer, int partition, long number)
            throws TalosClientException, InterruptedException {
        SimpleProducer.Prepared put = producer.prepare(partition, List.of(messages.of(number)));
        for (long begun = System.nanoTime(); ; ) {
            try {
                producer.repeat(put);
                return;
            } catch (TalosClientException e) {
                long waited = System.nanoTime() - begun;
                if (e instanceof FatalException || waited > LONGEST.toNanos()) {
                    throw e;
                }
                Thread.sleep(waited < SOON.toNanos() ? SHORT_PAUSE_MILLIS : LONG_PAUSE_MILLIS);
            }
        }
    }

    /** Returns when each partition has acknowledged a put after this time. */
    void awaitAcknowledged(long afterNanos) throws IOException, InterruptedException {
        long until = System.nanoTime() + LONGEST.toNanos();
        while (!times.stream().allMatch(each -> each.anyAfter(afterNanos))) {
            for (Future<Long> each : running) {
                if (each.isDone()) {
                    result(each);
                }
            }
            if (System.nanoTime() - until > 0) {
                throw new IOException("not all partitions take puts again after " + LONGEST.toMinutes() + " min");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** The longest time between two times that a partition went without an acknowledged put, beyond the pace. */
    long nanosWithout(int partition, long fromNanos, long toNanos) {
        return Math.max(0, times.get(partition).longestGap(fromNanos, toNanos) - paceNanos);
    }

    /**
     * Ends the load and reads all partitions.
     *
     * @return number of acknowledged puts
     * @throws IOException one is missing, there twice, or not where it belongs
     */
    long check() throws IOException, TalosClientException, InterruptedException {
        ending = true;
        long all = 0;
        for (int partition = 0; partition < topic.partitions(); partition++) {
            long acknowledged = result(running.get(partition));
            var unused =
                    NumberedMessages.check(new SimpleConsumer(client, topic, partition), partition, 0, acknowledged);
            all += acknowledged;
        }
        return all;
    }

    private static long result(Future<Long> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException("a put failed: " + e.getCause(), e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
