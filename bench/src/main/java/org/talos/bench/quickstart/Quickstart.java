// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.talos.client.Compression;
import org.talos.client.FetchedMessage;
import org.talos.client.OutgoingMessage;
import org.talos.client.SimpleConsumer;
import org.talos.client.SimpleProducer;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import picocli.CommandLine;

/**
 * Puts messages of mixed sizes and compressions from several threads and gets them back: same bytes, same order, dense
 * offsets.
 *
 * <p>Confined: one run.
 */
public final class Quickstart {
    private static final String TOPIC = "quickstart";
    private static final int PARTITIONS = 8;
    private static final int RETENTION_SECONDS = 86_400;
    private static final int BATCH = 10;
    private static final long SEED = 42;
    private static final int BAR_WIDTH = 40;

    private final TalosEndpoint endpoint;
    private final int messages;
    private final int threads;
    private final PrintWriter out;
    private final boolean terminal = CommandLine.Help.Ansi.AUTO.enabled();
    private final SampleMessages samples = new SampleMessages(SEED);
    private final Histogram putNanos = new ConcurrentHistogram(3);
    private final Histogram getNanos = new ConcurrentHistogram(3);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final List<String> wrong = new ArrayList<>();

    /** A run against the server of a data directory, on this machine. */
    public Quickstart(Path data, int port, int messages, int threads, PrintWriter out) throws IOException {
        Properties credentials = new Properties();
        try (Reader in = Files.newBufferedReader(data.resolve("admin.credentials"))) {
            credentials.load(in);
        }
        endpoint = new TalosEndpoint(
                URI.create("http://127.0.0.1:" + port),
                String.valueOf(credentials.getProperty("accessKey")),
                String.valueOf(credentials.getProperty("secretKey")));
        this.messages = messages;
        this.threads = threads;
        this.out = out;
    }

    /** Whether every message came back as it was put. Prints a table. */
    public boolean run() throws TalosClientException, InterruptedException, ExecutionException {
        TopicDescription topic = topic();
        long start = System.nanoTime();
        parallel(partition -> put(topic, partition));
        long putEnd = System.nanoTime();
        done.set(0);
        parallel(partition -> check(topic, partition));
        long getEnd = System.nanoTime();
        report(putEnd - start, getEnd - putEnd);
        return wrong.isEmpty();
    }

    private TopicDescription topic() throws TalosClientException {
        TalosAdmin admin = new TalosAdmin(endpoint);
        for (TopicDescription topic : admin.listTopics()) {
            if (topic.name().equals(TOPIC)) {
                admin.deleteTopic(TOPIC); // of an earlier run in the same directory
            }
        }
        return admin.createTopic(TOPIC, PARTITIONS, RETENTION_SECONDS);
    }

    /** What is done with each partition. */
    private interface Work {
        void run(int partition) throws TalosClientException;
    }

    private void parallel(Work work) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Object>> tasks = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int mine = partition;
                tasks.add(() -> {
                    work.run(mine);
                    return mine;
                });
            }
            for (Future<Object> each : pool.invokeAll(tasks)) {
                Object unused = each.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    /** Message n is put to partition n mod 8, in order. */
    private void put(TopicDescription topic, int partition) throws TalosClientException {
        List<SimpleProducer> producers = new ArrayList<>();
        for (Compression compression : Compression.values()) {
            producers.add(new SimpleProducer(endpoint, topic, compression));
        }
        List<OutgoingMessage> batch = new ArrayList<>();
        int puts = 0;
        for (int number = partition; number < messages; number += PARTITIONS) {
            byte[] body = samples.message(number);
            bytes.addAndGet(body.length);
            batch.add(OutgoingMessage.of(body));
            if (batch.size() == BATCH || number + PARTITIONS >= messages) {
                long start = System.nanoTime();
                producers.get(puts++ % producers.size()).put(partition, batch);
                putNanos.recordValue(System.nanoTime() - start);
                progress("put", batch.size());
                batch.clear();
            }
        }
    }

    private void check(TopicDescription topic, int partition) throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(endpoint, topic, partition);
        long expectedOffset = 0;
        int number = partition;
        while (number < messages) {
            long start = System.nanoTime();
            List<FetchedMessage> fetched = consumer.fetch(expectedOffset, 100);
            getNanos.recordValue(System.nanoTime() - start);
            if (fetched.isEmpty()) {
                complain("partition " + partition + " ends at offset " + expectedOffset);
                return;
            }
            for (FetchedMessage message : fetched) {
                if (message.offset() != expectedOffset) {
                    complain("partition " + partition + ": offset " + message.offset() + " (expected: " + expectedOffset
                            + ")");
                    return;
                }
                if (!Arrays.equals(message.body(), samples.message(number))) {
                    complain("partition " + partition + ": other bytes at offset " + expectedOffset);
                }
                expectedOffset++;
                number += PARTITIONS;
            }
            progress("get", fetched.size());
        }
    }

    private synchronized void complain(String sentence) {
        wrong.add(sentence);
    }

    private synchronized void progress(String what, int more) {
        long now = done.addAndGet(more);
        if (terminal) {
            int filled = (int) (BAR_WIDTH * Math.min(now, messages) / Math.max(1, messages));
            out.printf("\r%s [%s%s] %d", what, "#".repeat(filled), " ".repeat(BAR_WIDTH - filled), now);
            out.flush();
        }
    }

    private void report(long putNanosAll, long getNanosAll) {
        if (terminal) {
            out.println();
        }
        double megabytes = bytes.get() / 1e6;
        out.println("            messages        MB  messages/s      MB/s  P50 ms  P99 ms");
        row("put", putNanosAll, megabytes, putNanos);
        row("get", getNanosAll, megabytes, getNanos);
        out.println(
                wrong.isEmpty()
                        ? "every message came back: same bytes, same order, dense offsets"
                        : wrong.size() + " things are wrong:");
        wrong.stream().limit(10).forEach(sentence -> out.println("  " + sentence));
        out.flush();
    }

    private void row(String name, long nanos, double megabytes, Histogram latency) {
        double seconds = nanos / 1e9;
        out.printf(
                "%-10s %9d %9.1f %11.0f %9.1f %7.2f %7.2f%n",
                name,
                messages,
                megabytes,
                messages / seconds,
                megabytes / seconds,
                latency.getValueAtPercentile(50) / 1e6,
                latency.getValueAtPercentile(99) / 1e6);
    }
}
