// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.common.sysflag.PullSysFlag;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.header.PullMessageRequestHeader;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;

/**
 * The request that gets the next messages of one queue, with the bounds of {@link RocketMqPeer}. Its codec encodes the
 * request once, and each get changes its offset in place. Of a stored message, only the offset and the body are read:
 * the load compares the bytes of each message.
 *
 * <p>Confined: one connection.
 */
final class PullFrame implements LeanClient.Getter {
    private static final int OFFSET_DIGITS = 19;
    private static final int DECIMAL = 10;
    private static final long NO_OFFSET = 7_654_321_076_543_210_765L; // to be found in the encoded request
    private static final String ALL = "*";
    private static final String TAG = "TAG";

    // Indexes in a stored message whose hosts have addresses of four bytes.
    private static final int QUEUE_OFFSET_AT = 20;
    private static final int FLAGS_AT = 36;
    private static final int LENGTH_AT = 84;
    private static final int BODY_AT = 88;
    private static final int LONG_ADDRESSES = MessageSysFlag.BORNHOST_V6_FLAG | MessageSysFlag.STOREHOSTADDRESS_V6_FLAG;

    private final ByteBuffer request;
    private final int offsetAt;
    private long next;
    private boolean awaited;

    PullFrame(String topic, int queue) {
        PullMessageRequestHeader header = new PullMessageRequestHeader();
        header.setConsumerGroup(RocketMqPeer.GROUP);
        header.setTopic(topic);
        header.setQueueId(queue);
        header.setQueueOffset(NO_OFFSET);
        header.setMaxMsgNums(RocketMqPeer.MAX_MESSAGES);
        header.setSysFlag(PullSysFlag.buildSysFlag(false, true, true, false)); // wait; with a subscription
        header.setCommitOffset(0L);
        header.setSuspendTimeoutMillis((long) RocketMqPeer.SUSPEND_MILLIS);
        header.setSubscription(ALL);
        header.setSubVersion(0L);
        header.setExpressionType(TAG);
        request = RemotingFrames.request(RemotingCommand.createRequestCommand(RequestCode.PULL_MESSAGE, header));
        byte[] placeholder = Long.toString(NO_OFFSET).getBytes(StandardCharsets.US_ASCII);
        offsetAt = LeanClient.indexOf(request, ByteBuffer.wrap(placeholder));
    }

    @Override
    public ByteBuffer request() {
        if (awaited) {
            return request.position(request.limit());
        }
        awaited = true;
        RemotingFrames.putNumber(request, offsetAt, OFFSET_DIGITS, DECIMAL, next);
        return request.rewind();
    }

    @Override
    public void read(ByteBuffer in, Consumer<ByteBuffer> messages) throws IOException {
        ByteBuffer answer = FramedServer.answer(in);
        if (answer == null) {
            return;
        }
        awaited = false;
        RemotingCommand outcome = RemotingFrames.header(answer);
        switch (outcome.getCode()) {
            case ResponseCode.SUCCESS -> take(answer, messages);
            case ResponseCode.PULL_NOT_FOUND, ResponseCode.PULL_RETRY_IMMEDIATELY -> {}
            default -> throw RemotingFrames.refused(outcome);
        }
    }

    private void take(ByteBuffer stored, Consumer<ByteBuffer> messages) throws IOException {
        while (stored.hasRemaining()) {
            int at = stored.position();
            int size = stored.getInt(at);
            if (size < BODY_AT) {
                throw new IOException("a message of " + size + " bytes (expected: " + BODY_AT + " or more)");
            }
            if ((stored.getInt(at + FLAGS_AT) & LONG_ADDRESSES) != 0) {
                throw new IOException("a message of a host with a long address");
            }
            long offset = stored.getLong(at + QUEUE_OFFSET_AT);
            if (offset >= next) {
                messages.accept(stored.slice(at + BODY_AT, stored.getInt(at + LENGTH_AT)));
                next = offset + 1;
            }
            stored.position(at + size);
        }
    }
}
