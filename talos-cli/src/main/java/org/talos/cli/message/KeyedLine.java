// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import org.talos.cli.CommandException;
import org.talos.client.producer.OutgoingMessage;

/** Reads lines of text that have a key before a separator, and the value behind it. Immutable. */
public final class KeyedLine {
    private final String shown;
    private final byte[] separator;

    /**
     * Lines with a separator.
     *
     * @param separator a text with escapes, as {@code \t}
     */
    public KeyedLine(String separator) throws CommandException {
        this.shown = separator;
        this.separator = Escapes.bytes(separator);
        if (this.separator.length == 0) {
            throw CommandException.usage("--key-separator: '' (expected: one character or more)");
        }
    }

    /** Reads a line; a message with an empty key has none. A failure explains the fault. */
    public JsonLines.Line read(byte[] line) throws CommandException {
        int at = first(line);
        if (at < 0) {
            throw new CommandException("no '" + shown + "' (expected: a key, '" + shown + "' and a value)");
        }
        OutgoingMessage message = OutgoingMessage.of(Arrays.copyOfRange(line, at + separator.length, line.length));
        return new JsonLines.Line(at == 0 ? message : message.withKey(key(line, at)), OptionalInt.empty());
    }

    private static String key(byte[] line, int length) throws CommandException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CommandException("the key is not UTF-8", e);
        }
    }

    private int first(byte[] line) {
        for (int at = 0; at + separator.length <= line.length; at++) {
            if (Arrays.equals(line, at, at + separator.length, separator, 0, separator.length)) {
                return at;
            }
        }
        return -1;
    }
}
