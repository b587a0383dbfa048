// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.talos.bench.load.NumberedMessages;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.SimpleProducer;

/**
 * Puts numbered messages to each partition one after another until the server is killed, and checks that all
 * acknowledged ones are stored, each once and at its offset.
 *
 * <p>Confined: the main thread, but for its putting threads.
 */
final class NumberedPuts implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final TopicDescription topic;
    private final NumberedMessages messages;
    private final ExecutorService threads;
    private final CountDownLatch begun;
    private final List<Future<Long>> running = new ArrayList<>();
    private volatile boolean ending;

    /** @param size of a message in bytes, 8 at least */
    NumberedPuts(TopicDescription topic, int size) {
        this.topic = topic;
        messages = new NumberedMessages(size);
        threads = Executors.newFixedThreadPool(topic.partitions());
        begun = new CountDownLatch(topic.partitions());
    }

    /** Starts a thread for each partition. Returns once each has put a message. */
    void start(TalosEndpoint endpoint) throws IOException, InterruptedException {
        SimpleProducer producer = new SimpleProducer(new TalosClient(endpoint).once(), topic, Compression.NONE);
        for (int partition = 0; partition < topic.partitions(); partition++) {
            int to = partition;
            running.add(threads.submit(() -> put(producer, to)));
        }
        if (!begun.await(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException(
                    begun.getCount() + " partitions have not taken a put after " + LONGEST.toSeconds() + " s");
        }
    }

    private long put(SimpleProducer producer, int partition) throws TalosClientException {
        for (long number = 0; ; number++) {
            if (!stored(producer, partition, number)) {
                return number;
            }
            if (number == 0) {
                begun.countDown();
            }
        }
    }

    /**
     * Puts a message, repeating until it is acknowledged; the server stores it once. False if the server has been
     * killed.
     */
    private boolean stored(SimpleProducer producer, int partition, long number) throws TalosClientException {
        SimpleProducer.Prepared put = producer.prepare(partition, List.of(messages.of(number)));
        for (long start = System.nanoTime(); ; ) {
            try {
                producer.repeat(put);
                return true;
            } catch (TalosClientException e) {
                if (ending) {
                    return false;
                }
                if (System.nanoTime() - start > LONGEST.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** Marks that the server is being killed: the outcome of a put that fails from here on is unknown. */
    void expectEnd() {
        ending = true;
    }

    /** Returns, after the server was killed, how many puts of each partition were acknowledged. */
    List<Long> acknowledged() throws IOException, InterruptedException {
        List<Long> counts = new ArrayList<>();
        for (Future<Long> each : running) {
            counts.add(result(each));
        }
        return counts;
    }

    /** Puts a message to each partition at once; returns when each was acknowledged, by {@code System.nanoTime}. */
    List<Long> serving(TalosEndpoint endpoint) throws IOException, InterruptedException {
        ending = false;
        SimpleProducer producer = new SimpleProducer(new TalosClient(endpoint).once(), topic, Compression.NONE);
        List<Callable<Long>> puts = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            int to = partition;
            puts.add(() -> {
                if (!stored(producer, to, NumberedMessages.LAST)) {
                    throw new IOException("partition " + to + " is not served");
                }
                return System.nanoTime();
            });
        }
        List<Long> times = new ArrayList<>();
        for (Future<Long> each : threads.invokeAll(puts)) {
            times.add(result(each));
        }
        return times;
    }

    private static long result(Future<Long> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException("a put failed: " + e.getCause(), e);
        }
    }

    /**
     * Reads all partitions.
     *
     * @param first offset of each partition's first message of this load
     * @param acknowledged of each partition before the server was killed
     * @return the offset behind each partition's last message
     * @throws IOException a message is missing, there twice, or not where it belongs
     */
    List<Long> check(TalosEndpoint endpoint, List<Long> first, List<Long> acknowledged)
            throws IOException, TalosClientException {
        TalosClient client = new TalosClient(endpoint);
        List<Long> ends = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
            ends.add(NumberedMessages.check(consumer, partition, first.get(partition), acknowledged.get(partition)));
        }
        return ends;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
