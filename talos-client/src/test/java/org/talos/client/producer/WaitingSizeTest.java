// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphStats;

/** The bytes that a producer's buffer counts for messages, against the sizes of the objects that it keeps for them. */
class WaitingSizeTest {
    private static final int MESSAGES = 1_000;
    private static final Percentage TOLERANCE = Percentage.withPercentage(12);

    private final Outcomes outcomes = new Outcomes("orders", () -> 0);

    static {
        // The JDK does not tell where the fields of records and lambdas are.
        System.setProperty("jol.magicFieldOffset", "true");
    }

    private void assertCounted(IntFunction<Waiting> message) {
        Waiting[] kept = new Waiting[MESSAGES];
        // What all messages have in common is reached from both.
        long before = GraphStats.parseInstance(kept, message.apply(MESSAGES)).totalSize();
        Arrays.setAll(kept, message);
        long counted = Arrays.stream(kept).mapToLong(Waiting::size).sum();

        long grown = GraphStats.parseInstance(kept, message.apply(MESSAGES)).totalSize() - before;

        // The places in the queue.
        long places = (long) MESSAGES * HeapBytes.REFERENCE;
        assertThat(counted / MESSAGES).isCloseTo((grown + places) / MESSAGES, TOLERANCE);
    }

    private void assertMessageCounted(IntFunction<OutgoingMessage> message) {
        assertCounted(number -> new Waiting(message.apply(number), new SentMessage(outcomes, 1)));
    }

    @Test
    void smallMessages() {
        assertMessageCounted(number -> OutgoingMessage.of("1234567890"));
    }

    @Test
    void messagesOfNoBytes() {
        assertMessageCounted(number -> OutgoingMessage.of(new byte[0]));
    }

    @Test
    void messagesWithCallbacks() {
        AtomicInteger ended = new AtomicInteger();
        assertCounted(number -> new Waiting(
                OutgoingMessage.of("1234567890"),
                new CalledBack(outcomes, (stored, failure) -> ended.addAndGet(number))));
    }

    @Test
    void messagesWithKeys() {
        assertMessageCounted(number -> OutgoingMessage.of("1234567890").withKey("customer-" + number));
    }

    @Test
    void messagesWithWideKeys() {
        assertMessageCounted(number -> OutgoingMessage.of("1234567890").withKey("客户-" + number));
    }

    @Test
    void messagesWithHeaders() {
        assertMessageCounted(number -> OutgoingMessage.of("1234567890")
                .withHeader("trace-id", "4bf92f3577b34da6" + number)
                .withHeader("source", new byte[20]));
    }

    @Test
    void largerMessages() {
        assertMessageCounted(number -> OutgoingMessage.of(new byte[1_000]));
    }

    @Test
    void batchesUnderKeys() {
        assertCounted(number -> new WaitingTogether(
                List.of(OutgoingMessage.of("a" + number), OutgoingMessage.of("b" + number)),
                new PutKey("batch-" + number),
                new SentMessage(outcomes, 2)));
    }
}
