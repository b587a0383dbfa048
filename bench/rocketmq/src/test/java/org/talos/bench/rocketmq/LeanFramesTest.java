// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.remoting.exception.RemotingCommandException;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The frames of the lean client, read by RocketMQ's codec. */
class LeanFramesTest {
    private static final int SIZE = 1_000;
    private static final int QUEUE = 3;

    @TempDir
    static Path logs;

    private final byte[] message = new byte[SIZE];
    private final SendFrame send;
    private final PullFrame pull = new PullFrame("peers", QUEUE);
    private final List<String> got = new ArrayList<>();

    LeanFramesTest() {
        new Random(1).nextBytes(message);
        send = new SendFrame("peers", QUEUE, message.clone());
    }

    @BeforeAll
    static void logElsewhere() {
        System.setProperty("user.home", logs.toString());
    }

    private static RemotingCommand read(ByteBuffer request) throws RemotingCommandException {
        assertThat(request.getInt()).isEqualTo(request.remaining());
        return RemotingCommand.decode(request);
    }

    private static ByteBuffer stored(int code, String offset) {
        RemotingCommand answer = RemotingCommand.createResponseCommand(code, "why");
        answer.addExtField("queueOffset", offset);
        return answer.encode();
    }

    private static ByteBuffer found(int code, long first, String... bodies) {
        ByteBuffer all = ByteBuffer.allocate(10_000);
        for (int i = 0; i < bodies.length; i++) {
            byte[] body = bodies[i].getBytes(StandardCharsets.UTF_8);
            int bytes = 88 + body.length + 1 + 5 + 2;
            int at = all.position();
            all.putInt(at, bytes).putLong(at + 20, first + i).putInt(at + 84, body.length);
            all.put(at + 88, body).position(at + bytes);
        }
        byte[] messages = new byte[all.position()];
        all.get(0, messages);
        RemotingCommand answer = RemotingCommand.createResponseCommand(code, "why");
        answer.setBody(messages);
        return answer.encode();
    }

    private void get(ByteBuffer answer) throws IOException {
        pull.read(answer, each -> got.add(StandardCharsets.UTF_8.decode(each).toString()));
    }

    @Test
    void putIsReadByRocketMqsCodec() throws RemotingCommandException {
        var unused = send.put(0, 5);
        RemotingCommand put = read(send.put(10, 99));

        assertThat(put.getCode()).isEqualTo(RequestCode.SEND_MESSAGE_V2);
        assertThat(put.getExtFields()).containsEntry("b", "peers").containsEntry("e", "3");
        assertThat(Long.parseLong(put.getExtFields().get("g"))).isPositive();
        Map<String, String> properties =
                MessageDecoder.string2messageProperties(put.getExtFields().get("i"));
        assertThat(properties)
                .containsEntry("WAIT", "true")
                .containsEntry("UNIQ_KEY", "7F00000100000003" + "000000000000000A");
        ByteBuffer body = ByteBuffer.wrap(put.getBody());
        assertThat(body.getLong()).isEqualTo(10);
        assertThat(body.getLong()).isEqualTo(99);
        assertThat(body).isEqualTo(ByteBuffer.wrap(message, 16, SIZE - 16));
    }

    @Test
    void putIsAcknowledgedOnceItsAnswerIsWhole() throws IOException {
        var unused = send.put(7, 5);
        ByteBuffer answer = stored(ResponseCode.SUCCESS, "7");
        int whole = answer.limit();

        assertThat(send.acknowledged(answer.limit(3))).isFalse();
        assertThat(send.acknowledged(answer.limit(whole - 1))).isFalse();
        assertThat(send.acknowledged(answer.limit(whole))).isTrue();
        assertThat(answer.hasRemaining()).isFalse();
    }

    @Test
    void putThatFailsOrLandsElsewhereIsRefused() {
        var unused = send.put(7, 5);

        assertThatThrownBy(() -> send.acknowledged(stored(ResponseCode.FLUSH_DISK_TIMEOUT, "7")))
                .isInstanceOf(IOException.class)
                .hasMessage("refused: code " + ResponseCode.FLUSH_DISK_TIMEOUT + ", why");
        assertThatThrownBy(() -> send.acknowledged(stored(ResponseCode.SUCCESS, "8")))
                .isInstanceOf(IOException.class)
                .hasMessage("stored at offset 8 (expected: 7)");
    }

    @Test
    void nextPullBeginsBehindTheMessagesOfTheAnswer() throws IOException, RemotingCommandException {
        RemotingCommand first = read(pull.request());
        assertThat(first.getCode()).isEqualTo(RequestCode.PULL_MESSAGE);
        assertThat(first.getExtFields()).containsEntry("queueId", "3").containsEntry("topic", "peers");
        assertThat(Long.parseLong(first.getExtFields().get("queueOffset"))).isZero();
        assertThat(pull.request().hasRemaining()).as("one at a time").isFalse();

        get(found(ResponseCode.SUCCESS, 0, "a", "b"));

        assertThat(got).containsExactly("a", "b");
        assertThat(Long.parseLong(read(pull.request()).getExtFields().get("queueOffset")))
                .isEqualTo(2);
    }

    @Test
    void pullWithoutMessagesIsRepeatedAndAFailedOneRefused() throws IOException, RemotingCommandException {
        var unused = pull.request();
        get(found(ResponseCode.PULL_NOT_FOUND, 0));

        assertThat(got).isEmpty();
        assertThat(Long.parseLong(read(pull.request()).getExtFields().get("queueOffset")))
                .isZero();
        assertThatThrownBy(() -> get(found(ResponseCode.PULL_OFFSET_MOVED, 0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("refused: code " + ResponseCode.PULL_OFFSET_MOVED);
    }
}
