// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.ByteBuffer;

/**
 * Walks over the frames of an uncompressed block by their lengths, without reading their contents and without an
 * allocation. Checks that there are as many as the block claims, and nothing behind them.
 *
 * <p>Immutable.
 */
final class PlainFrames {
    private static final int MAX_VARINT_BYTES = 10;

    private PlainFrames() {}

    /** Checks a block of messages of any version. The buffer's bytes are big-endian. */
    static void checkMessages(ByteBuffer in, int count) throws MalformedBlockException {
        int at = in.position();
        for (int i = 0; i < count; i++) {
            if (in.limit() - at < MessageBlocks.MIN_MESSAGE_BYTES) {
                throw new MalformedBlockException(
                        at == in.limit()
                                ? "a block of " + i + " messages that claims " + count
                                : "a message cut in its head");
            }
            at = in.get(at) == MessageFormat.MARK
                    ? afterMarked(in, at)
                    : afterData(in, after(in, at + 4, in.getInt(at)));
        }
        if (at != in.limit()) {
            throw leftBytes(in.limit() - at, count);
        }
    }

    /** Returns the place after a message of version 2 or 3 of at least eight bytes. */
    private static int afterMarked(ByteBuffer in, int at) throws MalformedBlockException {
        int version = MessageFormat.version(in.getInt(at));
        if (version == 3) {
            int end = after(in, at + 8, in.getInt(at + 4));
            if (end == at + 8 || in.get(end - 1) != 0) {
                throw new MalformedBlockException("a message that is not a struct");
            }
            return end;
        }
        if (version != 2) {
            throw MessageFormat.unknown(version);
        }
        if (in.limit() - at < 16) {
            throw new MalformedBlockException("a message cut in its head");
        }
        return afterData(in, after(in, at + 16, in.getShort(at + 14) & 0xffff));
    }

    /** Returns the place after the body whose length stands here. */
    private static int afterData(ByteBuffer in, int at) throws MalformedBlockException {
        if (in.limit() - at < Integer.BYTES) {
            throw new MalformedBlockException("a message cut in a length");
        }
        return after(in, at + Integer.BYTES, in.getInt(at));
    }

    private static int after(ByteBuffer in, int at, int length) throws MalformedBlockException {
        if (length < 0 || length > in.limit() - at) {
            throw MessageFormat.cutInBody(length, in.limit() - at);
        }
        return at + length;
    }

    /** Checks a block that is a Kafka batch. */
    static void checkKafkaBatch(ByteBuffer in, int count) throws MalformedBlockException {
        KafkaBatch.checkHead(in);
        int at = in.position() + KafkaBatch.RECORDS_AT;
        int records = in.getInt(in.position() + KafkaBatch.COUNT_AT);
        if (records != count) {
            throw new MalformedBlockException("a Kafka batch of " + records + " records that claims " + count);
        }
        for (int i = 0; i < count; i++) {
            at = afterRecord(in, at, i);
        }
        if (at != in.limit()) {
            throw leftBytes(in.limit() - at, count);
        }
    }

    private static int afterRecord(ByteBuffer in, int start, int place) throws MalformedBlockException {
        int at = afterVarint(in, start, in.limit());
        long length = varint(in, start);
        if (length < 0 || length > in.limit() - at) {
            throw recordCut();
        }
        int end = at + (int) length;
        int delta = afterVarint(in, at + 1, end); // behind attributes and time
        var unused = afterVarint(in, delta, end);
        KafkaBatch.checkDelta(varint(in, delta), place);
        return end;
    }

    /** Returns the place after a number, which has to end before a limit. */
    private static int afterVarint(ByteBuffer in, int start, int limit) throws MalformedBlockException {
        for (int at = start; at < limit && at < start + MAX_VARINT_BYTES; at++) {
            if (in.get(at) >= 0) {
                return at + 1;
            }
        }
        throw recordCut();
    }

    /** Returns a number that ends in time. */
    private static long varint(ByteBuffer in, int start) {
        long value = 0;
        int at = start;
        byte next = in.get(at);
        for (int shift = 0; next < 0; shift += 7) {
            value |= (next & 0x7fL) << shift;
            next = in.get(++at);
        }
        value |= (next & 0x7fL) << (7 * (at - start));
        return value >>> 1 ^ -(value & 1);
    }

    private static MalformedBlockException recordCut() {
        return new MalformedBlockException("a Kafka record cut short");
    }

    private static MalformedBlockException leftBytes(int bytes, int count) {
        return new MalformedBlockException(bytes + " bytes behind the " + count + " messages that a block claims");
    }
}
