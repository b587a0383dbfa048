// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One connection with one request in flight. Its answer is kept only while it comes, so that ten thousand of them cost
 * this side little.
 *
 * <p>Confined: the loop's thread.
 */
final class PollClient {
    private static final String LENGTH = "content-length:";

    private final SocketChannel channel;
    private final int partition;
    private final byte[] request;
    private final StringBuilder answer = new StringBuilder();
    private byte[] next;

    /**
     * A connection that has sent nothing.
     *
     * @param first what is sent first
     * @param request what is sent from then on
     */
    PollClient(SocketChannel channel, int partition, byte[] first, byte[] request) {
        this.channel = channel;
        this.partition = partition;
        this.next = first;
        this.request = request;
    }

    int partition() {
        return partition;
    }

    /** A request is shorter than any socket's buffer, so it goes in one piece or the connection is broken. */
    void send() throws IOException {
        answer.setLength(0);
        if (channel.write(ByteBuffer.wrap(next)) != next.length) {
            throw new IOException("a request did not fit into an empty socket");
        }
        next = request;
    }

    /**
     * Takes what has come.
     *
     * @param buffer shared by all connections
     * @return the whole answer, or null if more is to come
     */
    @Nullable
    String receive(ByteBuffer buffer) throws IOException {
        int count = channel.read(buffer.clear());
        if (count < 0) {
            throw new IOException("the server has closed a connection");
        }
        answer.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
        int head = answer.indexOf("\r\n\r\n");
        if (head < 0 || answer.length() < head + 4 + bodyLength(answer.substring(0, head))) {
            return null;
        }
        String whole = answer.toString();
        answer.setLength(0);
        answer.trimToSize();
        return whole;
    }

    private static int bodyLength(String head) throws IOException {
        for (String line : head.split("\r\n")) {
            if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
                return Integer.parseInt(line.substring(LENGTH.length()).strip());
            }
        }
        throw new IOException("an answer without length: " + head);
    }
}
