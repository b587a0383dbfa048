// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** A message of the server, read by hand as docs/formats/stream.md has it. Immutable. */
final class Received {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final byte[] bytes;

    Received(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    byte[] bytes() {
        return bytes.clone();
    }

    /** One put of a STORED. Immutable. */
    record Place(int partition, long number, long offset) {}

    private ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes);
    }

    String name() {
        return switch (bytes[0] & 0xff) {
            case 0x81 -> "OPENED";
            case 0x82 -> "STORED";
            case 0x83 -> "REFUSED";
            case 0x84 -> "CREDIT";
            case 0x85 -> "BLOCK";
            case 0x86 -> "ENDED";
            case 0x87 -> "JOINED";
            case 0x88 -> "ASSIGNED";
            case 0x89 -> "REVOKING";
            case 0x8a -> "MOVE";
            case 0x8b -> "REVOKED";
            case 0x8c -> "COMMITTED";
            case 0x8d -> "COMMIT_REFUSED";
            case 0x8e -> "LEFT";
            default -> "unknown " + bytes[0];
        };
    }

    int integer(int at) {
        return buffer().getInt(at);
    }

    long number(int at) {
        return buffer().getLong(at);
    }

    List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < integer(4); i++) {
            int at = 8 + 20 * i;
            places.add(new Place(integer(at), number(at + 4), number(at + 12)));
        }
        return places;
    }

    /** The problem of a REFUSED or an ENDED. */
    JsonNode problem() {
        int at = name().endsWith("REFUSED") ? 16 : 8;
        try {
            return JSON.readTree(bytes, at, bytes.length - at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String code() {
        return problem().get("code").textValue();
    }

    /** The messages of a BLOCK from the offset on that was asked for, each as offset and text. */
    List<String> messages() {
        int attributes = integer(52);
        int length = integer(56);
        ByteBuffer block = buffer().slice(60 + attributes, length);
        MessageBlock wire =
                new MessageBlock(number(8), integer(32), MessageCompressionType.findByValue(bytes[1]), block);
        try {
            return MessageBlocks.read(wire, 1 << 30).stream()
                    .filter(each -> each.getMessageOffset() >= number(16))
                    .map(Received::text)
                    .toList();
        } catch (MalformedBlockException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(MessageAndOffset each) {
        return each.getMessageOffset() + " "
                + UTF_8.decode(each.getMessage().bufferForMessage().duplicate());
    }
}
