// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.RepeatedCalls;
import org.talos.bench.load.WarmUp;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Messages that a server keeps, more and more of them: fills it, gets any of them, and restarts it. Confined: the main
 * thread.
 */
final class KeptData {
    /** Of a kept message: small enough for gets to be many, large enough for filling not to take the day. */
    static final int BYTES = 64 << 10;

    static final String RESTART = "restart s";

    private static final int FILLERS = 16;
    private static final int OFFSETS = 500;

    private final MeasuredServer server;
    private final ScaleTopics topics;
    private final int partitions;
    private final SplittableRandom random = new SplittableRandom(1);
    private long messages;

    KeptData(MeasuredServer server, int partitions) {
        this.server = server;
        this.partitions = partitions;
        topics = new ScaleTopics(server, "kept");
    }

    /** Returns how many bytes of messages are missing to this number. */
    long missing(long bytes) {
        return Math.max(0, bytes - messages * BYTES);
    }

    /** Puts until this number of bytes of messages are kept. */
    void fillTo(long bytes) throws IOException, TalosClientException, CommandException {
        topics.grow(partitions);
        List<InTurn> fillers = topics.producers(Math.min(FILLERS, partitions), BYTES);
        long wanted = (missing(bytes) + BYTES - 1) / BYTES;
        messages += InTurn.fill(server.uri(), fillers, wanted);
    }

    /** Gets of one message each, wherever it is kept. */
    List<RepeatedCalls> gets() throws TalosClientException, CommandException {
        TalosAdmin admin = server.admin();
        List<RepeatedCalls> gets = new ArrayList<>();
        for (TopicDescription topic : topics.topics()) {
            List<List<Long>> offsets = new ArrayList<>();
            for (PartitionOffsets each : admin.offsets(topic)) {
                offsets.add(random.longs(OFFSETS, each.start(), each.endExclusive())
                        .boxed()
                        .toList());
            }
            gets.addAll(RepeatedCalls.gets(topic, server.authority(), server.credential(), offsets));
        }
        return gets;
    }

    /** Gets, and then restarts the server, whose time is a figure of the gets. */
    void measure(long point, ScaleRun run) throws IOException, TalosClientException, CommandException {
        ScaleWindow window = new ScaleWindow(server);
        LoadResult result = run.run(ScalePoint.GET, gets(), window, WarmUp.lasting(Duration.ZERO));
        SortedMap<String, Double> figures = window.figures(ScalePoint.GET, result, BYTES);
        long begun = System.nanoTime();
        server.restart();
        figures.put(RESTART, (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1));
        run.add(point, ScalePoint.GET, result, figures);
    }
}
