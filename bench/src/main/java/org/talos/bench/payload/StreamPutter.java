// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.HdrHistogram.Histogram;
import org.talos.bench.stream.StreamConnection;

/**
 * Puts the same message again and again over one stream, for as long as a loop says and until enough are answered to
 * tell a rate: one thread writes as far as the credit goes, another reads the answers.
 *
 * <p>Confined: one run, by two threads.
 */
final class StreamPutter implements AutoCloseable {
    private static final byte STORED = (byte) 0x82;
    private static final byte REFUSED = (byte) 0x83;
    private static final byte CREDIT = (byte) 0x84;
    private static final int PROBLEM_AT = 16;
    private static final int LEAST = 3;
    private static final double NANOS_PER_SECOND = 1e9;

    private final StreamConnection connection;
    private final int partition;
    private final ByteBuffer message;
    private final Loop loop;
    private final Semaphore credit;
    private final Queue<Long> begun = new ConcurrentLinkedQueue<>(); // when each unanswered message was, in their order
    private final Histogram latency = new Histogram(3);
    private volatile long written = Long.MAX_VALUE; // messages in all, once that is known
    private volatile boolean enough;
    private long answered; // this and all below: the reading thread's, until it has ended
    private long refused;
    private String failure = "";
    private long firstNanos; // of an answer in the measured time
    private long firstAnswered;
    private long untilNanos;
    private long lastNanos;
    private long lastAnswered;

    /**
     * A putter that has not begun.
     *
     * @param window of the connection
     * @param bytes of a message, which cannot be compressed
     */
    StreamPutter(StreamConnection connection, int window, int partition, int bytes, long seed, Loop loop) {
        this.connection = connection;
        this.partition = partition;
        this.loop = loop;
        credit = new Semaphore(window);
        byte[] random = new byte[bytes];
        new SplittableRandom(seed).nextBytes(random);
        message = ByteBuffer.allocateDirect(bytes).put(random);
    }

    /** Puts until the time is over, and returns once all is answered. */
    StreamFigures run(Executor threads) throws IOException, InterruptedException, ExecutionException {
        long beginNanos = System.nanoTime() + loop.warmUp().toNanos();
        CompletableFuture<Void> answers = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                readAnswers(beginNanos);
                answers.complete(null);
            } catch (IOException e) {
                answers.completeExceptionally(e);
                credit.release(message.capacity() + StreamConnection.HEAD_BYTES); // the writer need not wait
            }
        });
        long number = 0;
        while (!answers.isDone() && number < written) {
            credit.acquire(message.capacity() + StreamConnection.HEAD_BYTES);
            if (enough) {
                written = number + 1; // said before it is sent, so that its answer ends the reading
            }
            begun.add(System.nanoTime());
            connection.put(partition, number++, message.rewind());
        }
        answers.get();
        return figures();
    }

    private void readAnswers(long beginNanos) throws IOException {
        while (answered < written) {
            ByteBuffer answer = connection.read();
            switch (answer.get(0)) {
                case STORED -> stored(answer.getInt(4), beginNanos);
                case REFUSED -> refused(answer);
                case CREDIT -> credit.release(answer.getInt(4));
                default -> throw new IOException("a message of an unknown type: " + answer.get(0));
            }
        }
    }

    private void stored(int messages, long beginNanos) {
        long now = System.nanoTime();
        boolean measured = now >= beginNanos && !enough;
        for (int i = 0; i < messages; i++) {
            long since = begun.remove();
            if (measured) {
                latency.recordValue(now - since);
            }
        }
        answered += messages;
        if (measured) {
            measured(now);
        }
    }

    /** From one answer to another at least the measured time later: answers come in bursts. */
    private void measured(long now) {
        if (firstAnswered == 0) {
            firstNanos = now;
            firstAnswered = answered;
            untilNanos = now + loop.measured().toNanos();
        }
        lastNanos = now;
        lastAnswered = answered;
        enough = now >= untilNanos && lastAnswered - firstAnswered >= LEAST;
    }

    private void refused(ByteBuffer answer) {
        begun.remove();
        answered++;
        refused++;
        enough = true; // nothing is to be measured any more
        if (failure.isEmpty()) {
            failure = StandardCharsets.UTF_8.decode(answer.position(PROBLEM_AT)).toString();
        }
    }

    private StreamFigures figures() {
        double seconds = (lastNanos - firstNanos) / NANOS_PER_SECOND;
        double bytes = (double) (lastAnswered - firstAnswered) * message.capacity();
        return new StreamFigures(bytes / seconds, latency, seconds, answered - refused, refused, failure);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
