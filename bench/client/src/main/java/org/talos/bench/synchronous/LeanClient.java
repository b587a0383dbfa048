// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/**
 * A server's protocol, spoken with as little processor time as possible: a connection for each putter and each getter,
 * requests that are encoded once and changed in place, and answers of which only the necessary fields are read.
 *
 * <p>Confined: the main thread, but for each putter and each getter.
 */
public interface LeanClient extends AutoCloseable {
    /**
     * A connection with its putter or getter.
     *
     * @param channel open, and blocks
     * @param protocol makes the requests and reads the answers
     */
    record Connected<T>(SocketChannel channel, T protocol) {}

    /** Puts to one partition, one message after another. Confined: the thread of the load. */
    interface Putter {
        /**
         * Returns the request that puts the next message, valid until the next call.
         *
         * @param number of the message, which begins with it
         * @param nanos time, which follows the number
         */
        ByteBuffer put(long number, long nanos);

        /**
         * Takes the whole answers from a buffer.
         *
         * @param in the received bytes, from position to limit; an incomplete answer stays in it
         * @return whether the put is acknowledged
         * @throws IOException the server has refused the put, or the answer is another than expected
         */
        boolean acknowledged(ByteBuffer in) throws IOException;
    }

    /** Gets from one partition, from its beginning. Confined: the thread of the load. */
    interface Getter {
        /** Returns the next request, valid until the next call; empty if there is nothing to request now. */
        ByteBuffer request();

        /**
         * Takes the whole answers from a buffer and hands over their messages.
         *
         * @param in the received bytes, from position to limit; an incomplete answer stays in it
         * @param messages receives each, between position and limit of a buffer that is valid until it returns
         * @throws IOException the server has refused the get, or the answer is another than expected
         */
        void read(ByteBuffer in, Consumer<ByteBuffer> messages) throws IOException;
    }

    /**
     * Returns a putter for a partition.
     *
     * @param message the message of each put; placeholders in front stand for the number and the time of each put
     */
    Connected<Putter> putter(int partition, byte[] message) throws IOException;

    /**
     * Returns a getter for a partition.
     *
     * @param message the message of the partition's putter
     */
    Connected<Getter> getter(int partition, byte[] message) throws IOException;

    /** Returns how many messages the server has, in all partitions of the topic. */
    long stored() throws Exception;

    @Override
    void close();

    /** Returns the index at which a buffer contains the bytes of another one, so that they can be changed in place. */
    static int indexOf(ByteBuffer whole, ByteBuffer part) {
        for (int at = whole.position(); at <= whole.limit() - part.remaining(); at++) {
            if (whole.slice(at, part.remaining()).equals(part)) {
                return at;
            }
        }
        throw new IllegalArgumentException("a request without the bytes that are to be changed in it");
    }
}
