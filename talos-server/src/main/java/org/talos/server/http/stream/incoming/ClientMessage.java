// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import java.nio.ByteBuffer;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.MessageBlock;

/** A message that a client has sent, whole. Immutable; a put's bytes belong to the receiver. */
public sealed interface ClientMessage {
    /** A put of any kind. */
    sealed interface Put extends ClientMessage {
        /** Returns whether it is begun only once the put in front of it is stored. */
        boolean ordered();

        /** The partition that it names; -1: where its key or its number belongs. */
        int partition();

        /** Returns the key of the message; empty if it has none, or is a block. */
        String key();

        /** The client's number of it. */
        long number();

        /** Returns the credit that it takes. */
        int bytes();

        /** Bytes that are reserved for it until it has ended. */
        int memory();
    }

    /**
     * Messages that the client has packed together.
     *
     * @param compression the protocol's number
     * @param block its bytes, in an array of their own
     */
    record PutBlock(
            boolean ordered,
            int compression,
            int partition,
            long number,
            int messages,
            long createTime,
            ByteBuffer block,
            int bytes,
            int memory)
            implements Put {
        @Override
        public String key() {
            return "";
        }
    }

    /**
     * One message.
     *
     * @param key empty if it has none
     * @param message its bytes, with room around them for the frame of a block
     */
    record PutMessage(
            boolean ordered,
            int partition,
            String key,
            long number,
            long createTime,
            ByteBuffer message,
            int bytes,
            int memory)
            implements Put {}

    /** A put for which there was no memory: its bytes have been skipped. */
    record PutPassedOver(boolean ordered, int partition, String key, long number, int bytes, int memory)
            implements Put {}

    /** A put that has come as text: it is admitted when it has been read. */
    sealed interface TextPut extends Put {}

    /**
     * One message, as JSON describes it.
     *
     * @param block that holds it
     * @param checksum of the text
     */
    record PutJson(
            boolean ordered,
            int partition,
            String key,
            long number,
            MessageBlock block,
            long checksum,
            int bytes,
            int memory)
            implements TextPut {}

    /** A put whose number can be read, and not all of the rest. */
    record PutWrong(boolean ordered, int partition, long number, int bytes, Problem why) implements TextPut {
        @Override
        public String key() {
            return "";
        }

        @Override
        public int memory() {
            return 0;
        }
    }

    /**
     * A text that is whole and has not been read.
     *
     * @param memory that is held until it has been, to be closed then
     */
    record Text(ByteBuffer bytes, RequestMemory memory) implements ClientMessage {}

    /** A text that ends the stream. */
    record Wrong(StreamEndException why) implements ClientMessage {}

    /**
     * Begins a subscription, or moves it.
     *
     * @param from first offset, or {@link #EARLIEST} or {@link #END}
     */
    record Subscribe(int partition, long from) implements ClientMessage {
        public static final long EARLIEST = -1;
        public static final long END = -2;
    }

    /** Ends a subscription. */
    record Unsubscribe(int partition) implements ClientMessage {}

    /**
     * Makes the stream a member of a consumer group.
     *
     * @param member the name that it had before; empty for a new one
     * @param leaseMillis 0 for the longest
     * @param fromLatest whether a partition that the group never committed begins at its end
     */
    record Join(String group, String member, long leaseMillis, boolean fromLatest) implements ClientMessage {}

    /**
     * Commits the processed messages of a partition.
     *
     * @param offset the first that has not been
     */
    record Commit(int partition, long offset) implements ClientMessage {}

    /** Ends the membership. */
    record Leave() implements ClientMessage {}

    /** Allows the server to send this number of bytes more. */
    record Credit(int bytes) implements ClientMessage {}
}
