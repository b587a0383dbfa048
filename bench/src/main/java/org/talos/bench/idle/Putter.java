// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A connection that puts, one message after the other. Confined: the loop's thread. */
final class Putter extends Waiter {
    private final byte[] request;
    private final StringBuilder answer = new StringBuilder();
    private boolean underWay;

    Putter(Wire wire, Place place) {
        super(wire, place);
        request = ("POST /v1/topics/" + place.topic() + place.path() + "/messages HTTP/1.1\r\n" + place.headers()
                        + "Content-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\nwake")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns whether a put has not been answered. */
    boolean isUnderWay() {
        return underWay;
    }

    @Override
    void ask() throws IOException {
        underWay = true;
        send(request);
    }

    @Override
    List<Heard> take(ByteBuffer bytes) throws IOException {
        answer.append(StandardCharsets.ISO_8859_1.decode(bytes));
        if (answer.indexOf("}") < 0) { // its body is a small object
            return List.of();
        }
        String whole = answer.toString();
        answer.setLength(0);
        underWay = false;
        if (!whole.startsWith("HTTP/1.1 2")) {
            throw new IOException(
                    "a put was answered " + whole.lines().findFirst().orElse("nothing"));
        }
        return List.of(Heard.MESSAGE);
    }
}
