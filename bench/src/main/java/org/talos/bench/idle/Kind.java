// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

/** The ways in which a connection waits. Immutable. */
enum Kind {
    /** A get over REST that waits for a message. */
    POLL("in long poll") {
        @Override
        Waiter on(Wire wire, Place place) {
            return new PollWaiter(wire, place);
        }
    },
    /** Server-sent events. */
    EVENTS("on an event stream") {
        @Override
        Waiter on(Wire wire, Place place) {
            return new EventsWaiter(wire, place);
        }
    },
    /** A subscription over a WebSocket. */
    STREAM("on a stream") {
        @Override
        Waiter on(Wire wire, Place place) {
            return new StreamWaiter(wire, place);
        }
    };

    private final String described;

    Kind(String described) {
        this.described = described;
    }

    /** Returns where its connections are, in words. */
    String described() {
        return described;
    }

    /** Returns a waiter on a connection that has sent nothing. */
    abstract Waiter on(Wire wire, Place place);
}
