// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;

/** A message that a client has sent, whole. Immutable; a put's bytes belong to who takes it. */
sealed interface ClientMessage {
    /** A put of any kind. */
    sealed interface Put extends ClientMessage {
        /** Whether it is begun only once the put in front of it is stored. */
        boolean ordered();

        /** The partition that it names; -1: where its key or its number belongs. */
        int partition();

        /** Of the message; empty if it has none, or is a block. */
        String key();

        /** The client's number of it. */
        long number();

        /** What it costs. */
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

    /** A put for which there was no memory: its bytes have been passed over. */
    record PutPassedOver(boolean ordered, int partition, String key, long number, int bytes, int memory)
            implements Put {}

    /**
     * Begins a subscription, or moves it.
     *
     * @param from first offset, or {@link #EARLIEST} or {@link #END}
     */
    record Subscribe(int partition, long from) implements ClientMessage {
        static final long EARLIEST = -1;
        static final long END = -2;
    }

    /** Ends a subscription. */
    record Unsubscribe(int partition) implements ClientMessage {}

    /** Allows the server to send so many bytes more. */
    record Credit(int bytes) implements ClientMessage {}
}
