// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.cli.CommandException;

/** Reads texts of options in which a backslash escapes characters that are hard to type. Immutable. */
final class Escapes {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9a-fA-F]{2}|.|$)", Pattern.DOTALL);
    private static final int HEXADECIMAL = 16;

    private Escapes() {}

    /**
     * Returns the bytes of a text: UTF-8, and those of {@code \n}, {@code \t}, {@code \r}, {@code \0}, {@code \\} and
     * {@code \xHH}.
     */
    static byte[] bytes(String text) throws CommandException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Matcher escapes = ESCAPE.matcher(text);
        int from = 0;
        while (escapes.find()) {
            bytes.writeBytes(text.substring(from, escapes.start()).getBytes(StandardCharsets.UTF_8));
            bytes.write(code(escapes.group(1)));
            from = escapes.end();
        }
        bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private static int code(String escape) throws CommandException {
        return switch (escape) {
            case "n" -> '\n';
            case "t" -> '\t';
            case "r" -> '\r';
            case "0" -> 0;
            case "\\" -> '\\';
            default -> {
                if (escape.length() == 1 || escape.isEmpty()) {
                    throw CommandException.usage(
                            "'\\" + escape + "' is unknown (expected: \\n, \\t, \\r, \\0, \\\\ or \\xHH)");
                }
                yield Integer.parseInt(escape.substring(1), HEXADECIMAL);
            }
        };
    }
}
