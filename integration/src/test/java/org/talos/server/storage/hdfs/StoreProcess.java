// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.talos.devcluster.DevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * A store in a JVM of its own that appends to a few segments until it cannot, and says on its standard output what was
 * acknowledged. So it can be paused and killed, and what it has said counts.
 *
 * <p>Thread-safe.
 */
final class StoreProcess implements AutoCloseable {
    static final int PARTITIONS = 4;
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final String FAILED = "failed";

    private final Process process;
    private final Map<Integer, StringBuilder> acknowledged = new ConcurrentHashMap<>();
    private final CountDownLatch begun = new CountDownLatch(500);
    private final Thread reader;

    private StoreProcess(Process process) {
        this.process = process;
        reader = new Thread(this::read, "store-process-output");
        reader.start();
    }

    /** Starts one on a directory. */
    static StoreProcess start(DevCluster cluster, String root, Path log) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StoreProcess.class.getName(),
                cluster.clientConfig().toString(),
                root);
        return new StoreProcess(builder.redirectError(log.toFile()).start());
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                if (space > 0 && !line.startsWith(FAILED)) {
                    acknowledged
                            .computeIfAbsent(Integer.valueOf(line.substring(0, space)), key -> new StringBuilder())
                            .append(line.substring(space + 1))
                            .append('\n');
                    begun.countDown();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("output of the store's process lost", e);
        }
    }

    /** Waits until a number of appends have been acknowledged. */
    boolean awaitBegun() throws InterruptedException {
        return begun.await(60, TimeUnit.SECONDS);
    }

    /** Sends a signal by its name without SIG. */
    void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + name + " ended with " + exit);
        }
    }

    /** Waits until it has ended: by itself when each of its segments takes nothing any more. */
    boolean awaitEnd() throws InterruptedException {
        boolean ended = process.waitFor(90, TimeUnit.SECONDS);
        reader.join();
        return ended;
    }

    /** All that it ever said was acknowledged; whole once it has ended. */
    String acknowledged(int partition) {
        return acknowledged.getOrDefault(partition, new StringBuilder()).toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    static SegmentName segment(int partition) {
        return new SegmentName(new LogId(TOPIC, partition), 0, 1);
    }

    /** The process: configuration directory, directory of the store. */
    public static void main(String[] arguments) throws Exception {
        HdfsConfig config = HdfsStores.config(arguments[0], arguments[1]);
        JournaledSegmentStore store = HdfsStores.open(config, Durability.FLUSH);
        List<Thread> threads = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            SegmentWriter writer = store.create(segment(partition));
            int number = partition;
            Thread thread = new Thread(() -> append(writer, number));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.flush();
        Runtime.getRuntime().halt(0); // nothing is put in order by this one
    }

    private static void append(SegmentWriter writer, int partition) {
        boolean failed = false;
        for (int i = 0; !failed; i++) {
            String text = i + "-" + "x".repeat(i % 500);
            CompletableFuture<Void> append =
                    writer.append(List.of(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8))));
            failed = append.handle((done, error) -> error != null).join();
            System.out.println(failed ? FAILED : partition + " " + text);
        }
    }
}
