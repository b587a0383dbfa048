// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;

/**
 * The lines of a body that comes in pieces: one byte for the length of the pieces, one for the longest line, then the
 * body.
 *
 * <p>Immutable.
 */
public final class LinesFuzz {
    /** Each byte may be a line, for which this and the buffer have a few objects. */
    private static final int MULTIPLE = 400;

    private LinesFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        int piece = 1 + Fuzzed.next(in);
        int longest = 1 + 16 * Fuzzed.next(in);
        byte[] body = Fuzzed.rest(in);
        Fuzzed.within(body.length, MULTIPLE, () -> {
            MemoryBudget budget = new MemoryBudget(1 << 20);
            LineBuffer buffer = new LineBuffer(budget.of(""), longest);
            try {
                Fuzzed.same(lines(buffer, body, piece), expected(body));
            } catch (ProblemException e) {
                Fuzzed.same(e.problem().status(), 413);
            }
            buffer.release();
            Fuzzed.same(budget.used(), 0L);
        });
    }

    private static List<String> lines(LineBuffer buffer, byte[] body, int piece) {
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < body.length; at += piece) {
            buffer.add(ByteBuffer.wrap(body, at, Math.min(piece, body.length - at)));
            take(buffer, lines);
        }
        buffer.end();
        take(buffer, lines);
        return lines;
    }

    private static void take(LineBuffer buffer, List<String> lines) {
        buffer.lines().forEach(line -> lines.add(text(Fuzzed.rest(line))));
        buffer.dropLines();
    }

    /** The same, from the whole body. */
    private static List<String> expected(byte[] body) {
        List<String> lines = new ArrayList<>();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (byte each : body) {
            if (each == '\n') {
                lines.add(text(withoutReturn(line.toByteArray())));
                line.reset();
            } else {
                line.write(each);
            }
        }
        if (line.size() > 0) {
            lines.add(text(withoutReturn(line.toByteArray())));
        }
        return lines;
    }

    private static byte[] withoutReturn(byte[] line) {
        boolean returns = line.length > 0 && line[line.length - 1] == '\r';
        return returns ? Arrays.copyOf(line, line.length - 1) : line;
    }

    private static String text(byte[] line) {
        return new String(line, StandardCharsets.ISO_8859_1);
    }
}
