// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One connection that waits. What it hears is kept only while it comes, so that a hundred thousand of them cost this
 * side little.
 *
 * <p>Confined: the loop's thread.
 */
abstract class Waiter {
    private final Wire wire;
    private final Place place;

    Waiter(Wire wire, Place place) {
        this.wire = wire;
        this.place = place;
    }

    Wire wire() {
        return wire;
    }

    Place place() {
        return place;
    }

    /** Asks for the next message. */
    abstract void ask() throws IOException;

    /**
     * Takes what has come: what that ends, in its order, and nothing of what continues.
     *
     * @param bytes shared by all connections; read to its end
     */
    abstract List<Heard> take(ByteBuffer bytes) throws IOException;

    /**
     * Reads what there is.
     *
     * @param buffer shared by all connections
     */
    final List<Heard> receive(ByteBuffer buffer) throws IOException {
        if (wire.bytes().read(buffer.clear()) < 0) {
            throw new IOException("the server has closed a connection");
        }
        return take(buffer.flip());
    }

    /** A request is shorter than any socket's buffer, so it goes in one piece or the connection is broken. */
    final void send(byte[] bytes) throws IOException {
        if (wire.bytes().write(ByteBuffer.wrap(bytes)) != bytes.length) {
            throw new IOException("a request did not fit into an empty socket");
        }
    }

    final void send(String head) throws IOException {
        send(head.getBytes(StandardCharsets.US_ASCII));
    }
}
