// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonMemory;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Reads a client's messages from texts of JSON, as docs/formats/stream.md has them. A text is gathered here, in memory
 * that is reserved before it is allocated; {@link #read} makes a message of it, wherever that may take its time.
 *
 * <p>Confined: one stream; but {@link #read} is thread-safe.
 */
public final class JsonDecoder implements MessageSource {
    private static final int SMALL_BYTES = 1 << 10;
    private static final int ACCOUNTED_BYTES = 16 << 10; // the memory for reading smaller ones is released at once
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final int largest;
    private final Supplier<RequestMemory> memories;
    private ByteBuffer text = NOTHING;
    private @Nullable RequestMemory memory; // of the text that has begun
    private JsonMemory needed = new JsonMemory(); // to read it

    /**
     * A decoder of texts.
     *
     * @param largest bytes of a text
     * @param memories a part of the user's memory for each text
     */
    public JsonDecoder(int largest, Supplier<RequestMemory> memories) {
        this.largest = largest;
        this.memories = memories;
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public long received() {
        return text.position();
    }

    @Override
    public @Nullable ClientMessage take(ByteBuffer piece, boolean last) throws StreamEndException {
        RequestMemory held = memory == null ? memories.get() : memory;
        memory = held;
        makeRoom(held, (long) text.position() + piece.remaining());
        needed.add(piece);
        text.put(piece);
        if (!last) {
            return null;
        }
        ByteBuffer whole = text.flip();
        if (whole.remaining() >= ACCOUNTED_BYTES) {
            reserve(held, needed.bytes());
        }
        needed = new JsonMemory();
        text = NOTHING;
        memory = null;
        return new ClientMessage.Text(whole, held);
    }

    private void makeRoom(RequestMemory held, long bytes) throws StreamEndException {
        if (bytes > largest) {
            throw new StreamEndException(
                    CloseCode.TOO_LARGE, "a text of more than " + largest + " bytes, the largest put");
        }
        if (bytes > text.capacity()) {
            int capacity = (int) Math.min(largest, Math.max(Math.max(bytes, SMALL_BYTES), 2L * text.capacity()));
            reserve(held, capacity);
            ByteBuffer larger = ByteBuffer.allocate(capacity).put(text.flip());
            held.release(text.capacity());
            text = larger;
        }
    }

    /** Reserves memory for a text. Nobody could say which put a skipped text was. */
    private static void reserve(RequestMemory held, long bytes) throws StreamEndException {
        if (!held.tryReserve(bytes)) {
            throw new StreamEndException(CloseCode.LATER, "the server has no memory for this text now");
        }
    }

    @Override
    public void close() {
        RequestMemory held = memory;
        if (held != null) {
            held.close();
        }
        memory = null;
        text = NOTHING;
    }

    /**
     * Reads a whole text.
     *
     * @param nowMillis create time of a message that names none
     * @return {@link ClientMessage.Wrong} if it is none
     */
    public static ClientMessage read(ByteBuffer text, long nowMillis) {
        JsonObject json;
        try {
            json = Json.readPut(text);
        } catch (ProblemException e) {
            return new ClientMessage.Wrong(
                    new StreamEndException(CloseCode.NOT_JSON, e.problem().detail()));
        }
        try {
            ClientMessage message = read(json, text, nowMillis);
            if (!(message instanceof ClientMessage.PutWrong)) {
                json.end();
            }
            return message;
        } catch (ProblemException e) {
            return new ClientMessage.Wrong(
                    StreamEndException.malformed(e.problem().detail()));
        }
    }

    private static ClientMessage read(JsonObject json, ByteBuffer text, long nowMillis) {
        return switch (json.requiredText("type")) {
            case "put" -> put(json, text, nowMillis);
            case "subscribe" -> new ClientMessage.Subscribe(partition(json), from(json));
            case "unsubscribe" -> new ClientMessage.Unsubscribe(partition(json));
            case "credit" -> new ClientMessage.Credit((int) json.requiredNumber("bytes", 0, Integer.MAX_VALUE));
            case "join" -> join(json);
            case "commit" ->
                new ClientMessage.Commit(partition(json), json.requiredNumber("offset", 0, Long.MAX_VALUE));
            case "leave" -> new ClientMessage.Leave();
            default -> throw json.wrong("type", "put, subscribe, unsubscribe, credit, join, commit or leave");
        };
    }

    private static ClientMessage join(JsonObject json) {
        String begin = json.text("begin").orElse("earliest");
        if (!begin.equals("earliest") && !begin.equals("latest")) {
            throw json.wrong("begin", "earliest or latest");
        }
        return new ClientMessage.Join(
                json.requiredText("group"),
                json.text("member").orElse(""),
                json.number("lease", 0, 0, Integer.MAX_VALUE),
                begin.equals("latest"));
    }

    /** Decodes a put. An error is reported for the put, if its number is known. */
    private static ClientMessage put(JsonObject json, ByteBuffer text, long nowMillis) {
        long number = json.requiredNumber("number", Long.MIN_VALUE, Long.MAX_VALUE);
        int bytes = text.remaining();
        boolean ordered = false;
        int partition = -1;
        try {
            ordered = json.flag("ordered");
            partition = (int) json.number("partition", -1, -1, Integer.MAX_VALUE);
            Message message = MessageJson.read(json, nowMillis);
            String key = message.isSetPartitionKey() ? message.getPartitionKey() : "";
            MessageBlock block = MessageBlocks.write(List.of(message), MessageCompressionType.NONE, nowMillis);
            int memory = block.bufferForMessageBlock().remaining();
            return new ClientMessage.PutJson(ordered, partition, key, number, block, checksum(text), bytes, memory);
        } catch (ProblemException e) {
            return new ClientMessage.PutWrong(ordered, partition, number, bytes, e.problem());
        }
    }

    private static long checksum(ByteBuffer text) {
        CRC32C checksum = new CRC32C();
        checksum.update(text.duplicate());
        return checksum.getValue();
    }

    private static int partition(JsonObject json) {
        return (int) json.requiredNumber("partition", 0, Integer.MAX_VALUE);
    }

    private static long from(JsonObject json) {
        if (json.any("from").filter(from -> from.isTextual()).isEmpty()) {
            return json.requiredNumber("from", 0, Long.MAX_VALUE);
        }
        return switch (json.requiredText("from")) {
            case "earliest" -> ClientMessage.Subscribe.EARLIEST;
            case "latest" -> ClientMessage.Subscribe.END;
            default -> throw json.wrong("from", "an offset, earliest or latest");
        };
    }
}
