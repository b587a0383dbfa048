// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.MeasuredServer;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.Main;

/** A server, its partitions, and the same partitions after a restart. Confined: the main thread. */
final class PartitionsRun {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long PAUSE_MILLIS = 50;

    private final Path folder;
    private final Path log;
    private final List<String> jvm;
    private final Lines lines;
    private final TimedRequests requests = new TimedRequests();

    /** @param folder where the server keeps its data */
    PartitionsRun(Path folder, Path log, List<String> jvm, Lines lines) {
        this.folder = folder;
        this.log = log;
        this.jvm = jvm;
        this.lines = lines;
    }

    /**
     * Makes them, and says what they cost before and after a restart.
     *
     * @param step a message is put into each so manieth partition
     */
    void measure(PartitionedTopics topics, int step, Duration rest)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        RestFigures figures = new RestFigures(requests, rest, lines);
        TopicTraffic traffic = new TopicTraffic(requests, topics, step, lines);
        long beginning = System.nanoTime();
        try (MeasuredServer server = MeasuredServer.start(Main.class, jvm, Map.of(), folder, log)) {
            List<MeasuredServer> alone = List.of(server);
            awaitReady(server);
            lines.seconds("start", beginning, "until it is ready, without any");
            figures.withoutAny(alone);
            traffic.create(server.admin(), 1);
            traffic.put(List.of(server.endpoint()));
            figures.with(alone, topics);
            stop(server);
            long starting = System.nanoTime();
            server.start();
            lines.seconds("restart", starting, "until it listens");
            awaitReady(server);
            lines.seconds("restart", starting, "until it is ready");
            traffic.read(server.endpoint());
            lines.seconds("restart", starting, "until each partition with a message has given it");
            figures.with(alone, topics);
        }
    }

    private void stop(MeasuredServer server) throws IOException {
        long stopping = System.nanoTime();
        boolean ended = server.stop(PATIENCE);
        lines.seconds("stop", stopping, ended ? "until it has ended" : "and it was killed");
    }

    private void awaitReady(MeasuredServer server) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (requests.get(server.management().resolve("/health/ready")).status() != 200) {
            if (Lines.seconds(begun) > PATIENCE.toSeconds()) {
                throw new IOException("the server is not ready after " + PATIENCE.toMinutes() + " min: see " + log);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
