// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client library under load: its producer, and the consumers of one group. Thread-safe, but for each reader. */
public interface MeasuredClient extends AutoCloseable {
    /** Notified of what became of a message. */
    interface Acknowledged {
        /** @param failure why it was not stored; null if it was */
        void by(@Nullable Exception failure);
    }

    /** A member of the group. Confined: one thread at a time. */
    interface Reader extends AutoCloseable {
        /** The number of partitions that it reads now. */
        int partitions() throws Exception;

        /**
         * Hands over the next messages; waits for the first of them.
         *
         * @return how many there were; 0 if there was none in that time
         */
        int poll(Duration within, Consumer<byte[]> messages) throws Exception;

        @Override
        void close();
    }

    /** Sends a message in the background; waits for room in the library's buffer. */
    void send(byte[] message, Acknowledged acknowledged) throws Exception;

    /** Waits until all messages that were sent are acknowledged. */
    void flush() throws Exception;

    /** Joins the group, which reads the topic from its beginning. */
    Reader join() throws Exception;

    @Override
    void close();
}
