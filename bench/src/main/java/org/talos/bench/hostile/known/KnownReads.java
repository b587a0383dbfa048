// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.talos.bench.hostile.known.KnownCounts.Count;
import org.talos.bench.hostile.wire.ForeignBytesException;
import org.talos.bench.hostile.wire.HttpCheck;

/** Reads of known messages in all ways, each on a thread of its own, until they are closed. Thread-safe. */
public final class KnownReads implements AutoCloseable {
    private static final long PAUSE_MILLIS = 100;
    private static final long END_MILLIS = 65_000; // longer than a read may be silent

    private final InetSocketAddress server;
    private final KnownMessages messages;
    private final Map<KnownWay, KnownCounts> counts = new EnumMap<>(KnownWay.class);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    private KnownReads(InetSocketAddress server, KnownMessages messages) {
        this.server = server;
        this.messages = messages;
    }

    /** Stores the messages, and begins to read them. */
    public static KnownReads begin(InetSocketAddress server, KnownMessages messages) throws IOException {
        put(server, messages);
        KnownReads reads = new KnownReads(server, messages);
        for (KnownWay each : KnownWay.values()) {
            KnownCounts counts = new KnownCounts();
            reads.counts.put(each, counts);
            Thread thread = new Thread(() -> reads.read(each, counts), "known-" + each.label());
            thread.setDaemon(true);
            reads.threads.add(thread);
            thread.start();
        }
        return reads;
    }

    private static void put(InetSocketAddress server, KnownMessages messages) throws IOException {
        try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
            for (int partition : List.of(KnownMessages.SMALL, KnownMessages.LARGE)) {
                for (int i = 0; i < KnownMessages.count(partition); i++) {
                    byte[] body = messages.bytes(partition, i);
                    byte[] head = messages.request(
                            "POST",
                            messages.path(partition) + "/messages",
                            "Content-Type: text/plain\r\nContent-Length: " + body.length + "\r\n");
                    socket.getOutputStream().write(head);
                    HttpCheck answer = new HttpCheck(status -> HttpCheck.ANY);
                    Exchange.run(socket, body, answer, () -> answer.answers() > 0);
                    if (!HttpCheck.isSuccess(answer.status())) {
                        throw new IOException("a known message was refused: " + answer.status());
                    }
                }
            }
        }
    }

    private void read(KnownWay way, KnownCounts counts) {
        try {
            do {
                counts.add(Count.REQUESTS);
                readOnce(way, counts);
            } while (!ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void readOnce(KnownWay way, KnownCounts counts) {
        try {
            if (way.read(server, messages)) {
                counts.add(Count.DONE);
            } else {
                counts.add(Count.REFUSED, way.label() + ": refused");
            }
        } catch (ForeignBytesException e) {
            counts.add(Count.WRONG, way.label() + ": " + e.getMessage());
        } catch (IOException e) {
            counts.add(Count.UNANSWERED, way.label() + ": " + e);
        }
    }

    /** Ends the reads, each after its answer; returns what became of them. */
    public Map<KnownWay, KnownCounts> end() throws InterruptedException {
        ended.countDown();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        for (Thread each : threads) {
            each.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
        }
        return Map.copyOf(counts);
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
