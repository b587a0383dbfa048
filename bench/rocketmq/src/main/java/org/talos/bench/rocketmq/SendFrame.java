// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.header.SendMessageRequestHeaderV2;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;

/**
 * The request that puts one message to one queue, with the properties of RocketMQ's own producer. Its codec encodes the
 * request once, and each put changes its time, its id, and its message in place. Nobody else puts to the queue, so the
 * offset of each message is its number.
 *
 * <p>Confined: one connection.
 */
final class SendFrame implements LeanClient.Putter {
    private static final int HEXADECIMAL = 16;
    private static final int ID_DIGITS = 16; // of the number in the id of a message
    private static final long ID_PLACEHOLDER = 0x7e6d_5c4b_3a29_1807L;
    private static final int DECIMAL = 10;
    private static final int TIME_DIGITS = 13;
    private static final String OFFSET = "queueOffset";

    private final ByteBuffer request;
    private final int idAt;
    private final int timeAt;
    private final int messageAt;
    private long number; // of the message in flight

    /** @param message placeholders in front stand for the number and the time of each put */
    SendFrame(String topic, int queue, byte[] message) {
        String id = String.format(Locale.ROOT, "%0" + ID_DIGITS + "X", ID_PLACEHOLDER);
        long now = System.currentTimeMillis();
        RemotingCommand command =
                RemotingCommand.createRequestCommand(RequestCode.SEND_MESSAGE_V2, header(topic, queue, id, now));
        command.setBody(message);
        request = RemotingFrames.request(command);
        idAt = LeanClient.indexOf(request, ascii(id));
        timeAt = LeanClient.indexOf(request, ascii(Long.toString(now)));
        messageAt = LeanClient.indexOf(request, ByteBuffer.wrap(message));
    }

    private static SendMessageRequestHeaderV2 header(String topic, int queue, String id, long now) {
        Map<String, String> properties = Map.of(
                MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
                String.format(Locale.ROOT, "7F00000100%06X", queue) + id,
                MessageConst.PROPERTY_WAIT_STORE_MSG_OK,
                "true");
        SendMessageRequestHeaderV2 header = new SendMessageRequestHeaderV2();
        header.setA(RocketMqPeer.GROUP);
        header.setB(topic);
        header.setC(RocketMqPeer.TEMPLATE);
        header.setD(1); // queues of a topic that the broker would make
        header.setE(queue);
        header.setF(0); // not compressed
        header.setG(now);
        header.setH(0);
        header.setI(MessageDecoder.messageProperties2String(properties));
        header.setJ(0);
        header.setK(false);
        header.setM(false);
        return header;
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public ByteBuffer put(long next, long nanos) {
        number = next;
        RemotingFrames.putNumber(request, idAt, ID_DIGITS, HEXADECIMAL, next);
        RemotingFrames.putNumber(request, timeAt, TIME_DIGITS, DECIMAL, System.currentTimeMillis());
        request.putLong(messageAt, next).putLong(messageAt + Long.BYTES, nanos);
        return request.rewind();
    }

    @Override
    public boolean acknowledged(ByteBuffer in) throws IOException {
        ByteBuffer answer = FramedServer.answer(in);
        if (answer == null) {
            return false;
        }
        RemotingCommand outcome = RemotingFrames.header(answer);
        if (outcome.getCode() != ResponseCode.SUCCESS) {
            throw RemotingFrames.refused(outcome);
        }
        String offset = outcome.getExtFields().get(OFFSET);
        if (!Long.toString(number).equals(offset)) {
            throw new IOException("stored at offset " + offset + " (expected: " + number + ")");
        }
        return true;
    }
}
