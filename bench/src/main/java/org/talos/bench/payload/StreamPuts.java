// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.talos.bench.stream.StreamConnection;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;

/**
 * The carrier of streams: each client puts to a partition of its own over one stream, as much at once as the window
 * allows. What is larger than half of the window goes as consecutive messages, so that one is on its way while another
 * is answered.
 *
 * <p>Confined: the sweep's thread.
 */
final class StreamPuts implements Carrier {
    private static final long ENDING_SECONDS = 60;

    private final int window;
    private final CellTopics topics;
    private final Loop loop;
    private final long seed;

    /** @param window of each stream, in bytes */
    StreamPuts(int window, CellTopics topics, Loop loop, long seed) {
        this.window = window;
        this.topics = topics;
        this.loop = loop;
        this.seed = seed;
    }

    /** As it is written in tables. */
    static String label(int window) {
        return "stream-" + (window >> 20);
    }

    @Override
    public String label() {
        return label(window);
    }

    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException, TalosClientException {
        return topics.of(label(), cell, topic -> measure(cell, way, topic));
    }

    private PayloadFigures measure(Cell cell, Way way, TopicDescription topic)
            throws IOException, TalosClientException {
        List<StreamPutter> putters = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (int client = 0; client < cell.clients(); client++) {
                StreamConnection connection = StreamConnection.open(
                        way.to(topics.server()), topics.host(), topics.credential(), topic.name(), window);
                putters.add(
                        new StreamPutter(connection, window, client, messageBytes(cell.size()), seed + client, loop));
            }
            List<Future<StreamFigures>> running = new ArrayList<>();
            putters.forEach(each -> running.add(threads.submit(() -> each.run(threads))));
            return figures(cell, all(running), topics.stored(topic));
        } finally {
            for (StreamPutter each : putters) {
                each.close();
            }
            threads.shutdown();
        }
    }

    /** The largest that divides a size evenly and of which two fit into the window. */
    private int messageBytes(int size) {
        int most = window / 2 - StreamConnection.HEAD_BYTES;
        int messages = (size + most - 1) / most;
        return (size + messages - 1) / messages;
    }

    private List<StreamFigures> all(List<Future<StreamFigures>> running) throws IOException {
        List<StreamFigures> all = new ArrayList<>();
        try {
            for (Future<StreamFigures> each : running) {
                all.add(each.get(loop.seconds() + ENDING_SECONDS, TimeUnit.SECONDS));
            }
        } catch (ExecutionException e) {
            throw new IOException(label() + ": a stream failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(label() + ": a stream stalls", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return all;
    }

    private PayloadFigures figures(Cell cell, List<StreamFigures> all, long stored) {
        StreamFigures sum = all.stream().reduce(StreamFigures.NONE, StreamFigures::plus);
        return PayloadFigures.ofPuts(label(), cell, sum, stored);
    }
}
