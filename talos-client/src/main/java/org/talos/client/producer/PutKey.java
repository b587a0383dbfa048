// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The identity that a program has given to a put: a server stores one put of each key. A digest of the messages
 * accompanies the key and distinguishes a repetition from another put of the same key. The digest omits times and
 * compression, because a restarted program creates the same messages again. Immutable.
 *
 * @param value the program's key
 */
record PutKey(String value) {
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e]{1,255}");
    private static final char MARK = '\u0001';
    private static final int NONE = -1;
    /** Headers that tracing sets for each attempt. */
    private static final Set<String> OF_TRACING = Set.of("traceparent", "tracestate");

    /** Refuses keys that a server would refuse. */
    PutKey {
        if (!VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "idempotencyKey of " + value.length() + " characters (expected: 1 to 255, visible ones of ASCII)");
        }
    }

    /** The identity of a put of these messages in the form of a call. */
    String sequenceId(List<OutgoingMessage> messages) {
        MessageDigest digest = sha256();
        messages.forEach(each -> update(digest, each));
        return MARK + value + MARK + HexFormat.of().formatHex(digest.digest());
    }

    private static void update(MessageDigest digest, OutgoingMessage message) {
        update(digest, message.bodyBuffer());
        if (message.key().isPresent()) {
            update(digest, utf8(message.key().get()));
        } else {
            update(digest, NONE);
        }
        Map<String, byte[]> headers = new TreeMap<>(message.headerValues());
        headers.keySet().removeAll(OF_TRACING);
        update(digest, headers.size());
        headers.forEach((name, bytes) -> {
            update(digest, utf8(name));
            update(digest, ByteBuffer.wrap(bytes));
        });
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void update(MessageDigest digest, ByteBuffer bytes) {
        update(digest, bytes.remaining());
        digest.update(bytes);
    }

    private static void update(MessageDigest digest, int number) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }
}
