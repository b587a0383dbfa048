// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.remoting.exception.RemotingCommandException;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/** The frames of RocketMQ's protocol, by its own codec, and numbers as texts of a fixed length in them. Immutable. */
final class RemotingFrames {
    private static final byte[] DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private RemotingFrames() {}

    /** Returns a request, whose answer the caller awaits before it sends the next. */
    static ByteBuffer request(RemotingCommand command) {
        ByteBuffer encoded = command.encode();
        return ByteBuffer.allocateDirect(encoded.remaining()).put(encoded).flip();
    }

    /** Reads the header of an answer, and moves its position to the body. */
    static RemotingCommand header(ByteBuffer answer) throws IOException {
        int length = Integer.BYTES + RemotingCommand.getHeaderLength(answer.getInt(0));
        ByteBuffer header = answer.slice(0, length);
        answer.position(length);
        try {
            return RemotingCommand.decode(header);
        } catch (RemotingCommandException e) {
            throw new IOException("an answer that cannot be read", e);
        }
    }

    /** Returns the failure of an answer with an unexpected code. */
    static IOException refused(RemotingCommand answer) {
        return new IOException("refused: code " + answer.getCode() + ", " + answer.getRemark());
    }

    /** Writes a number, which is not negative, with leading zeros. */
    static void putNumber(ByteBuffer to, int at, int digits, int base, long number) {
        long left = number;
        for (int i = digits - 1; i >= 0; i--) {
            to.put(at + i, DIGITS[(int) (left % base)]);
            left /= base;
        }
    }
}
