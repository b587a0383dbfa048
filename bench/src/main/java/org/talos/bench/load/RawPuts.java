// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/** Requests that put the same raw bytes over REST to one partition. Confined: the loop's thread. */
public final class RawPuts implements RequestSource {
    private final ByteBuffer request;
    private final byte[] message;

    private RawPuts(ByteBuffer request, byte[] message) {
        this.request = request;
        this.message = message;
    }

    /**
     * The puts of all partitions of a topic.
     *
     * @param host of the server, with port
     * @param size of the message in bytes, which cannot be compressed
     */
    public static List<RawPuts> toAll(TopicDescription topic, String host, Credential credential, int size, long seed) {
        String pair = credential.keyId() + ":" + credential.secret();
        String basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        List<RawPuts> puts = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            byte[] message = new byte[size];
            new SplittableRandom(seed + partition).nextBytes(message);
            String head = "POST /v1/topics/" + topic.name() + "/partitions/" + partition + "/messages HTTP/1.1\r\n"
                    + "Host: " + host + "\r\nAuthorization: Basic " + basic
                    + "\r\nContent-Type: application/octet-stream\r\nContent-Length: " + size + "\r\n\r\n";
            ByteBuffer request = ByteBuffer.allocateDirect(head.length() + size);
            puts.add(new RawPuts(
                    request.put(head.getBytes(StandardCharsets.US_ASCII))
                            .put(message)
                            .flip(),
                    message));
        }
        return puts;
    }

    /** Returns the message that each of these puts stores. */
    public ByteBuffer message() {
        return ByteBuffer.wrap(message).asReadOnlyBuffer();
    }

    @Override
    public ByteBuffer next() {
        return request.rewind();
    }
}
