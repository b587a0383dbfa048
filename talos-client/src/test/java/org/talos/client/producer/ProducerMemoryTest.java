// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The bytes that a producer's buffer counts, against the growth of the heap. */
@Isolated // measures the heap of the whole JVM
@Timeout(120)
class ProducerMemoryTest extends ProducerFixture {
    private static final int MESSAGES = 300_000;
    private static final int LARGE = 60_000;
    private static final long SETTLED_BYTES = 128 << 10;
    private static final double TOLERANCE = 0.2;
    private static final int TRIES = 3;

    /** Sends a message that a producer is to keep, and keeps nothing of it. */
    @FunctionalInterface
    private interface Sending {
        void send(TalosProducer producer, int number);
    }

    /** Once nothing more is let go: what tests before have left ends in the background. */
    private static long usedHeap() {
        AtomicLong before = new AtomicLong(Long.MAX_VALUE);
        await().atMost(LONG).pollInterval(Duration.ofMillis(200)).until(() -> {
            System.gc();
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            return before.getAndSet(used) - used < SETTLED_BYTES;
        });
        return before.get();
    }

    /** Bytes of messages as a producer counts them, and as the heap has grown by them. Immutable. */
    private record Measured(long counted, long grown) {
        boolean isClose() {
            return Math.abs(counted - grown) <= TOLERANCE * grown;
        }
    }

    /** Fills a producer whose server does not answer. */
    private Measured fill(int messages, Sending sending) throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.otherwise(held(gate));
        int puts = puts().size();
        TalosProducer producer = open(1);
        try {
            sending.send(producer, 0);
            await().until(() -> puts().size() > puts);
            long countedBefore = producer.snapshot().bufferedBytes();
            long before = usedHeap();
            for (int i = 1; i <= messages; i++) {
                sending.send(producer, i);
            }
            long grown = usedHeap() - before;
            return new Measured(producer.snapshot().bufferedBytes() - countedBefore, grown);
        } finally {
            producer.close();
            gate.countDown();
            await().until(() -> producer.snapshot().putsInFlight() == 0);
        }
    }

    /** Measures again where other tests of this JVM may have let go of memory in the meantime. */
    private void assertCounted(int messages, Sending sending) throws Exception {
        config = config.toBuilder()
                .linger(Duration.ZERO)
                .maxBufferedBytes(1L << 30)
                .deliveryTimeout(Duration.ofMinutes(10))
                .closeTimeout(Duration.ZERO)
                .build();
        Measured measured = fill(messages, sending);
        for (int i = 1; i < TRIES && !measured.isClose(); i++) {
            measured = fill(messages, sending);
        }

        assertThat(measured.isClose())
                .as(measured.counted / messages + " counted and " + measured.grown / messages
                        + " in the heap for each message")
                .isTrue();
    }

    private void assertCounted(IntFunction<OutgoingMessage> message) throws Exception {
        assertCounted(MESSAGES, (producer, number) -> {
            var unused = producer.send(0, message.apply(number));
        });
    }

    @Test
    void smallMessages() throws Exception {
        assertCounted(number -> OutgoingMessage.of("1234567890"));
    }

    @Test
    void messagesOfNoBytes() throws Exception {
        assertCounted(number -> OutgoingMessage.of(new byte[0]));
    }

    @Test
    void messagesWithCallbacks() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        assertCounted(
                MESSAGES,
                (producer, number) -> producer.send(
                        0, OutgoingMessage.of("1234567890"), (stored, failure) -> ended.addAndGet(number)));
    }

    @Test
    void messagesWithKeys() throws Exception {
        assertCounted(number -> OutgoingMessage.of("1234567890").withKey("customer-" + number));
        assertCounted(number -> OutgoingMessage.of("1234567890").withKey("客户-" + number));
    }

    @Test
    void messagesWithHeaders() throws Exception {
        assertCounted(number -> OutgoingMessage.of("1234567890")
                .withHeader("trace-id", "4bf92f3577b34da6" + number)
                .withHeader("source", new byte[20]));
    }

    @Test
    void largerMessages() throws Exception {
        assertCounted(LARGE, (producer, number) -> {
            var unused = producer.send(0, OutgoingMessage.of(new byte[1_000]));
        });
    }

    @Test
    void batchesUnderKeys() throws Exception {
        assertCounted(LARGE, (producer, number) -> {
            var unused = producer.send(
                    0, List.of(OutgoingMessage.of("a" + number), OutgoingMessage.of("b" + number)), "batch-" + number);
        });
    }
}
