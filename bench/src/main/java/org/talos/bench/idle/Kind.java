// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.nio.channels.SocketChannel;

/** What a connection waits on. Immutable. */
enum Kind {
    /** A get over REST that waits for a message. */
    POLL("in long poll") {
        @Override
        Waiter on(SocketChannel channel, Place place) {
            return new PollWaiter(channel, place);
        }
    },
    /** Server-sent events. */
    EVENTS("on an event stream") {
        @Override
        Waiter on(SocketChannel channel, Place place) {
            return new EventsWaiter(channel, place);
        }
    },
    /** A subscription over a WebSocket. */
    STREAM("on a stream") {
        @Override
        Waiter on(SocketChannel channel, Place place) {
            return new StreamWaiter(channel, place);
        }
    };

    private final String described;

    Kind(String described) {
        this.described = described;
    }

    /** Where its connections are, in words. */
    String described() {
        return described;
    }

    /** What waits on a connection that has sent nothing. */
    abstract Waiter on(SocketChannel channel, Place place);
}
