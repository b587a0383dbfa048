// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.URI;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one stream that puts and reads share: its server, its connection, and whether it may be used.
 *
 * <p>Confined: the lock of its {@link StreamPuts} or {@link StreamReads}.
 */
abstract sealed class Link permits PutLink, ReadLink {
    private final URI server;
    private @Nullable Way way;
    private State state = State.OPENING;

    /** Opening, then open, then leaving; over when its connection has ended. */
    private enum State {
        OPENING,
        OPEN,
        LEAVING
    }

    Link(URI server) {
        this.server = server;
    }

    URI server() {
        return server;
    }

    void connect(Way to) {
        way = to;
    }

    /** Marks the stream as open, unless it was already leaving. */
    void open() {
        if (state == State.OPENING) {
            state = State.OPEN;
        }
    }

    boolean isOpening() {
        return state == State.OPENING;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Marks the stream as leaving, because its server sends clients elsewhere: nothing new uses it. */
    void leave() {
        state = State.LEAVING;
    }

    boolean isLeaving() {
        return state == State.LEAVING;
    }

    void send(ByteBuffer... parts) {
        if (way != null) {
            way.send(parts);
        }
    }

    void ping() {
        if (way != null) {
            way.ping();
        }
    }

    void close() {
        if (way != null) {
            way.close();
        }
    }

    void abort(String why) {
        if (way != null) {
            way.abort(why);
        }
    }
}
