// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A message that was read from a partition. Immutable; its bytes belong to the caller.
 *
 * @param topic name of its topic
 * @param partition number of its partition, from 0
 * @param offset offset in the partition
 * @param body bytes as they were put
 * @param key key as it was put
 * @param headers texts by name, in lower case, as they were put by our SDK or by REST; malformed UTF-8 is replaced by
 *     U+FFFD
 * @param binaryHeaders bytes by name of headers that are not valid UTF-8
 * @param created when the producer made it, by its clock; empty if unknown
 * @param appended when the server appended it, by its clock
 */
@SuppressWarnings("ArrayRecordComponent") // callers want arrays, and messages are not compared
public record FetchedMessage(
        String topic,
        int partition,
        long offset,
        byte[] body,
        Optional<String> key,
        Map<String, String> headers,
        Map<String, byte[]> binaryHeaders,
        Optional<Instant> created,
        Instant appended) {
    /** Copies the maps of headers. */
    public FetchedMessage {
        headers = Map.copyOf(headers);
        binaryHeaders = Map.copyOf(binaryHeaders);
    }

    /** Creates a message whose headers are texts. */
    public FetchedMessage(
            String topic,
            int partition,
            long offset,
            byte[] body,
            Optional<String> key,
            Map<String, String> headers,
            Optional<Instant> created,
            Instant appended) {
        this(topic, partition, offset, body, key, headers, Map.of(), created, appended);
    }

    /** Returns a message of text without a key, made and appended in 1970: for tests of processors. */
    public static FetchedMessage of(String topic, int partition, long offset, String text) {
        return new FetchedMessage(
                topic,
                partition,
                offset,
                text.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Instant.EPOCH);
    }

    /** Returns the key as UTF-8, as all servers and SDKs read it; empty if the message has none. */
    public Optional<byte[]> keyBytes() {
        return key.map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes of a header as they were put, whose name may be in any case; empty if there is none of that name. */
    public Optional<byte[]> headerBytes(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Optional.ofNullable(binaryHeaders.get(lower))
                .or(() -> Optional.ofNullable(headers.get(lower)).map(text -> text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the body as UTF-8 text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
