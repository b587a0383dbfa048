// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection in long poll. Confined: the loop's thread. */
final class PollWaiter extends Waiter {
    private static final String LENGTH = "content-length:";
    private static final Pattern NEXT = Pattern.compile("\"next\":(\\d+)");

    private final StringBuilder answer = new StringBuilder(0);
    private String next = "latest";

    PollWaiter(Wire wire, Place place) {
        super(wire, place);
    }

    @Override
    void ask() throws IOException {
        String query = "/messages?from=" + next + "&maxMessages=1000&wait="
                + place().longest().toMillis();
        send(place().get(place().path() + query) + "\r\n");
    }

    @Override
    List<Heard> take(ByteBuffer bytes) throws IOException {
        answer.append(StandardCharsets.ISO_8859_1.decode(bytes));
        int head = answer.indexOf("\r\n\r\n");
        if (head < 0 || answer.length() < head + 4 + bodyLength(answer.substring(0, head))) {
            return List.of();
        }
        String whole = answer.toString();
        answer.setLength(0);
        answer.trimToSize();
        if (!whole.startsWith("HTTP/1.1 200")) {
            throw new IOException(whole.lines().findFirst().orElse("nothing"));
        }
        Matcher found = NEXT.matcher(whole);
        next = found.find(head) ? found.group(1) : next;
        return List.of(whole.indexOf("\"offset\":", head) < 0 ? Heard.NO_MESSAGE : Heard.MESSAGE);
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
