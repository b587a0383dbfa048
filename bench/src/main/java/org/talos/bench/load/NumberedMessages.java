// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.OutgoingMessage;

/** Messages that begin with a number, from 0 in each partition, and the check that each is there once. Immutable. */
public final class NumberedMessages {
    /** The number of the message behind all others. */
    public static final long LAST = -1;

    /** A message has at least its number. */
    public static final int LEAST_BYTES = Long.BYTES;

    private static final int FETCHED = 1_000;

    private final byte[] filler;

    /** @param size of a message in bytes, {@link #LEAST_BYTES} at least; it cannot be compressed */
    public NumberedMessages(int size) {
        filler = new byte[size];
        new SplittableRandom(1).nextBytes(filler);
    }

    /** The message with a number. */
    public OutgoingMessage of(long number) {
        byte[] body = filler.clone();
        ByteBuffer.wrap(body).putLong(number);
        return OutgoingMessage.of(body);
    }

    /**
     * Reads a partition up to its message {@link #LAST}. One message whose put was not acknowledged may stand before
     * it. Offsets may have gaps, as a server leaves one when it takes a log over that may have lost its end.
     *
     * @param first lowest offset that the message 0 can have
     * @param acknowledged how many of the numbered messages were acknowledged
     * @return the offset behind the last message
     * @throws IOException a message is missing, there twice, or not where it belongs
     */
    public static long check(SimpleConsumer consumer, int partition, long first, long acknowledged)
            throws IOException, TalosClientException {
        long next = 0;
        long at = first;
        while (true) {
            List<FetchedMessage> messages = consumer.fetch(at, FETCHED);
            if (messages.isEmpty()) {
                throw new IOException("partition " + partition + " ends at " + at);
            }
            for (FetchedMessage message : messages) {
                long number = ByteBuffer.wrap(message.body()).getLong();
                boolean last = number == LAST && next >= acknowledged && next <= acknowledged + 1;
                if (message.offset() < at || (number != next && !last)) {
                    throw new IOException(format(
                            "partition %d has at offset %d the put %d (expected: %d; acknowledged: %d)",
                            partition, message.offset(), number, next, acknowledged));
                }
                next++;
                at = message.offset() + 1;
                if (last) {
                    return at;
                }
            }
        }
    }
}
