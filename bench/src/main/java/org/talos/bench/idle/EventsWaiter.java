// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection on an event stream. Confined: the loop's thread. */
final class EventsWaiter extends Waiter {
    private static final String END =
            "\n\n"; // of an event, and of what comes at once: the chunk's own end comes with the next one

    private final StringBuilder come = new StringBuilder(0);
    private boolean opened;

    EventsWaiter(Wire wire, Place place) {
        super(wire, place);
    }

    @Override
    void ask() throws IOException {
        if (!opened) { // it continues by itself
            send(place().get(place().path() + "/events?from=latest") + "Accept: text/event-stream\r\n\r\n");
        }
    }

    @Override
    List<Heard> take(ByteBuffer bytes) throws IOException {
        come.append(StandardCharsets.ISO_8859_1.decode(bytes));
        if (come.length() < END.length() || come.lastIndexOf(END) != come.length() - END.length()) {
            return List.of();
        }
        String whole = come.toString();
        come.setLength(0);
        come.trimToSize();
        if (whole.contains("event: problem")) {
            throw new IOException(whole.strip());
        }
        if (!opened && !whole.startsWith("HTTP/1.1 200")) {
            throw new IOException(whole.lines().findFirst().orElse("nothing"));
        }
        List<Heard> heard = new ArrayList<>();
        for (String event : whole.split(END)) {
            heard.add(event.contains("\ndata: ") ? Heard.MESSAGE : opened ? Heard.SIGN : Heard.OPENED);
            opened = true;
        }
        return heard;
    }
}
