// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.apache.thrift.TException;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.MessageBlock;

/**
 * Counts the messages in an answer to a get, and checks that they are those that were put, from the offset that was
 * asked for on. Implementations are immutable.
 */
@FunctionalInterface
public interface MessageCheck {
    /** Some message is another than the one that was put, or has another offset. */
    int WRONG = -1;

    /**
     * Counts the messages.
     *
     * @param answer from position 0 to its limit, with an array
     * @param from the offset that was asked for
     * @return 0 if the answer has none, {@link #WRONG} if it has others
     */
    int count(ByteBuffer answer, long from);

    /** An answer that is one message and nothing else, by its length. */
    static MessageCheck sized(int bytes) {
        return (answer, from) -> answer.remaining() == bytes ? 1 : WRONG;
    }

    /** Answers in the compact protocol to gets of a partition into which only this block was put, over and over. */
    static MessageCheck blocks(ByteBuffer put) {
        return (answer, from) -> {
            GetMessageResponse got = new GetMessageResponse();
            try {
                var in = Wire.reader(ThriftEncoding.COMPACT, answer.array(), answer.arrayOffset(), answer.remaining());
                if (Envelope.readReply(in, "getMessage", 1, got).isPresent()) {
                    return WRONG;
                }
            } catch (TException e) {
                return WRONG;
            }
            long next = from;
            for (MessageBlock each : got.getMessageBlocks()) {
                if (each.getStartMessageOffset() != next
                        || !each.bufferForMessageBlock().equals(put)) {
                    return WRONG;
                }
                next += each.getMessageNumber();
            }
            return (int) (next - from);
        };
    }

    /** Answers in JSON, with bytes as base64, to gets of a partition into which only this message was put. */
    static MessageCheck json(byte[] put) {
        byte[] field = "\"base64\":\"".getBytes(StandardCharsets.US_ASCII);
        byte[] value = (Base64.getEncoder().encodeToString(put) + "\"").getBytes(StandardCharsets.US_ASCII);
        return (answer, from) -> {
            byte[] bytes = answer.array();
            int end = answer.arrayOffset() + answer.remaining();
            int at = Bytes.indexOf(bytes, answer.arrayOffset(), end, field);
            int head = at < 0 ? end : at;
            int messages = 0;
            while (at >= 0) {
                int start = at + field.length;
                int until = start + value.length;
                if (until > end || !Arrays.equals(bytes, start, until, value, 0, value.length)) {
                    return WRONG;
                }
                messages++;
                at = Bytes.indexOf(bytes, until, end, field);
            }
            byte[] next = ("\"next\":" + (from + messages) + ",").getBytes(StandardCharsets.US_ASCII);
            return Bytes.indexOf(bytes, answer.arrayOffset(), head, next) < 0 ? WRONG : messages;
        };
    }

    /** Searches in bytes. Immutable. */
    final class Bytes {
        private Bytes() {}

        /** Returns the index of a sequence within the bounds; -1 if it is missing. */
        static int indexOf(byte[] bytes, int from, int to, byte[] wanted) {
            for (int at = from; at <= to - wanted.length; at++) {
                if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                    return at;
                }
            }
            return -1;
        }
    }
}
