// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import static org.talos.bench.report.Text.format;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.talos.common.auth.Credential;

/**
 * A topic whose messages are known to the byte. Each message repeats a secret, so that no 60 bytes of it are without
 * the secret. Immutable.
 *
 * @param secret ASCII letters and digits that no other bytes hold
 * @param topic with two partitions: 0 has many messages of a few kilobytes, 1 has few large ones
 */
public record KnownMessages(String secret, String topic, Credential owner) {
    static final int SMALL = 0;
    static final int LARGE = 1;
    private static final int SMALL_COUNT = 64;
    private static final int LARGE_COUNT = 4;
    private static final int SMALL_BYTES = 4_000;
    private static final int LARGE_BYTES = 800_000;

    /** Returns the number of messages in a partition. */
    static int count(int partition) {
        return partition == SMALL ? SMALL_COUNT : LARGE_COUNT;
    }

    /** Returns a message as text. */
    String text(int partition, long offset) {
        String unit = format("%s:%d-%04d;", secret, partition, offset);
        int bytes = partition == SMALL ? SMALL_BYTES : LARGE_BYTES;
        return unit.repeat(bytes / unit.length() + 1).substring(0, bytes);
    }

    byte[] bytes(int partition, long offset) {
        return text(partition, offset).getBytes(StandardCharsets.US_ASCII);
    }

    String path(int partition) {
        return "/v1/topics/" + topic + "/partitions/" + partition;
    }

    String authorization() {
        String pair = owner.keyId() + ":" + owner.secret();
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a request of HTTP/1.1 by the owner. */
    byte[] request(String method, String path, String headers) {
        return (method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + authorization() + "\r\n"
                        + headers + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return "KnownMessages[topic=" + topic + "]"; // without the secrets
    }
}
