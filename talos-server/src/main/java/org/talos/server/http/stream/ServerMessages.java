// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.thrift.MessageBlock;

/** Writes the server's messages in their binary form, as docs/formats/stream.md has them. Immutable. */
final class ServerMessages implements StreamFormat {
    static final ServerMessages BINARY = new ServerMessages();

    private static final int OPENED = 0x81;
    private static final int STORED = 0x82;
    private static final int REFUSED = 0x83;
    private static final int CREDIT = 0x84;
    private static final int BLOCK = 0x85;
    private static final int ENDED = 0x86;
    private static final int JOINED = 0x87;
    private static final int ASSIGNED = 0x88;
    private static final int REVOKING = 0x89;
    private static final int MOVE = 0x8a;
    private static final int REVOKED = 0x8b;
    private static final int COMMITTED = 0x8c;
    private static final int COMMIT_REFUSED = 0x8d;
    private static final int LEFT = 0x8e;

    private static final int SHORT_BYTES = 8;
    private static final int OPENED_BYTES = 16;
    private static final int STORED_ENTRY_BYTES = 20;
    private static final int REFUSED_HEAD_BYTES = 16;
    private static final int BLOCK_HEAD_BYTES = 60;

    private ServerMessages() {}

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public ByteBuffer opened(StreamTerms terms) {
        return message(OPENED, OPENED_BYTES)
                .putInt(terms.window())
                .putInt(terms.largestPut())
                .putInt(terms.partitions())
                .flip();
    }

    @Override
    public ByteBuffer stored(List<InFlightPut> puts) {
        ByteBuffer message =
                message(STORED, SHORT_BYTES + puts.size() * STORED_ENTRY_BYTES).putInt(puts.size());
        for (InFlightPut each : puts) {
            message.putInt(each.partition()).putLong(each.number()).putLong(each.firstOffset());
        }
        return message.flip();
    }

    @Override
    public ByteBuffer refused(InFlightPut put, Problem problem) {
        byte[] json = Json.write(problem.toJson(null));
        ByteBuffer message = message(REFUSED, REFUSED_HEAD_BYTES + json.length);
        message.put(1, problem.effect() == Effect.NONE ? (byte) 0 : (byte) 1);
        return message.putInt(put.partition()).putLong(put.number()).put(json).flip();
    }

    @Override
    public ByteBuffer credit(int bytes) {
        return message(CREDIT, SHORT_BYTES).putInt(bytes).flip();
    }

    @Override
    public ByteBuffer ended(int partition, Problem problem) {
        byte[] json = Json.write(problem.toJson(null));
        return message(ENDED, SHORT_BYTES + json.length)
                .putInt(partition)
                .put(json)
                .flip();
    }

    @Override
    public ByteBuffer move(int afterMillis, boolean serves) {
        return message(MOVE, SHORT_BYTES)
                .put(1, serves ? (byte) 1 : (byte) 0)
                .putInt(afterMillis)
                .flip();
    }

    @Override
    public ByteBuffer joined(String member, long leaseMillis) {
        byte[] name = member.getBytes(StandardCharsets.UTF_8);
        return message(JOINED, SHORT_BYTES + name.length)
                .putInt((int) leaseMillis)
                .put(name)
                .flip();
    }

    @Override
    public ByteBuffer assigned(int partition, long offset, long missed) {
        return message(ASSIGNED, SHORT_BYTES + 2 * Long.BYTES)
                .putInt(partition)
                .putLong(offset)
                .putLong(missed)
                .flip();
    }

    @Override
    public ByteBuffer revoking(int partition, long millis) {
        return message(REVOKING, SHORT_BYTES + Integer.BYTES)
                .putInt(partition)
                .putInt((int) millis)
                .flip();
    }

    @Override
    public ByteBuffer revoked(int partition) {
        return message(REVOKED, SHORT_BYTES).putInt(partition).flip();
    }

    @Override
    public ByteBuffer committed(int partition, long offset) {
        return message(COMMITTED, SHORT_BYTES + Long.BYTES)
                .putInt(partition)
                .putLong(offset)
                .flip();
    }

    @Override
    public ByteBuffer commitRefused(int partition, long offset, Problem problem) {
        byte[] json = Json.write(problem.toJson(null));
        ByteBuffer message = message(COMMIT_REFUSED, SHORT_BYTES + Long.BYTES + json.length);
        message.put(1, problem.effect() == Effect.NONE ? (byte) 0 : (byte) 1);
        return message.putInt(partition).putLong(offset).put(json).flip();
    }

    @Override
    public ByteBuffer left(@Nullable Problem problem) {
        byte[] json = problem == null ? new byte[0] : Json.write(problem.toJson(null));
        return message(LEFT, SHORT_BYTES + json.length).putInt(0).put(json).flip();
    }

    /** Returns the credit that a block takes. */
    static long cost(MessageBlock block, ByteBuffer attributes) {
        return (long) BLOCK_HEAD_BYTES
                + attributes.remaining()
                + block.bufferForMessageBlock().remaining();
    }

    /**
     * A block; its bytes are not copied.
     *
     * @param asked first offset of it that was asked for
     * @param end one past the newest message
     */
    static List<ByteBuffer> block(int partition, MessageBlock block, ByteBuffer attributes, long asked, long end) {
        ByteBuffer bytes = block.bufferForMessageBlock().duplicate();
        ByteBuffer head = ByteBuffer.allocate(BLOCK_HEAD_BYTES)
                .put((byte) BLOCK)
                .put((byte) block.getCompressionType().getValue())
                .putShort((short) 0)
                .putInt(partition)
                .putLong(block.getStartMessageOffset())
                .putLong(asked)
                .putLong(end)
                .putInt(block.getMessageNumber())
                .putLong(block.getAppendTimestamp())
                .putLong(block.isSetCreateTimestamp() ? block.getCreateTimestamp() : 0)
                .putInt(attributes.remaining())
                .putInt(bytes.remaining())
                .flip();
        return List.of(head, attributes, bytes);
    }

    private static ByteBuffer message(int type, int bytes) {
        return ByteBuffer.allocate(bytes).put((byte) type).position(Integer.BYTES);
    }
}
