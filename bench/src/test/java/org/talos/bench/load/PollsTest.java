// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.load.RequestSource.Outcome;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

@Timeout(10)
class PollsTest {
    private static final Credential CREDENTIAL = new Credential("AKBENCH", "a-secret");
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 3, Duration.ofDays(1));
    private static final byte[] MESSAGE = "a message".getBytes(StandardCharsets.US_ASCII);
    private static final ByteBuffer BLOCK = ByteBuffer.wrap(MESSAGE);

    private final Polls signed = Polls.signed(
                    TOPIC,
                    "127.0.0.1:1",
                    CREDENTIAL,
                    List.of(MessageCheck.sized(1), MessageCheck.sized(1), MessageCheck.blocks(BLOCK)))
            .get(2);
    private final Polls rest = Polls.overRest(TOPIC, "127.0.0.1:1", CREDENTIAL, List.of(MessageCheck.json(MESSAGE)))
            .get(0);

    private static ByteBuffer whole(List<ByteBuffer> parts) {
        ByteBuffer whole = ByteBuffer.allocate(1_000);
        parts.forEach(whole::put);
        return whole.flip().slice();
    }

    private static ByteBuffer answer(MessageBlock... blocks) throws Exception {
        GetMessageResponse got = new GetMessageResponse(List.of(blocks), blocks.length, "bench-get");
        EnvelopeHead call = new EnvelopeHead("getMessage", (byte) 1, 1);
        return whole(Envelope.reply(ThriftEncoding.COMPACT, call, got, null));
    }

    private static MessageBlock block(long offset, byte[] bytes) {
        return new MessageBlock(offset, 1, MessageCompressionType.NONE, ByteBuffer.wrap(bytes));
    }

    private static ByteBuffer json(long next, String... messages) {
        List<String> all = new ArrayList<>();
        for (String each : messages) {
            byte[] bytes = each.getBytes(StandardCharsets.US_ASCII);
            all.add("{\"offset\":0,\"base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}");
        }
        String text = String.format(
                Locale.ROOT,
                "{\"partition\":0,\"start\":0,\"end\":9,\"next\":%d,\"messages\":[%s]}",
                next,
                String.join(",", all));
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private GetMessageRequest asked() throws Exception {
        return new SentRequest(signed.next()).call("getMessage", new GetMessageRequest());
    }

    @Test
    void everyGetIsSignedOverWhatIsSentWhateverItsOffset() throws Exception {
        Polls polls = Polls.signed(
                        TOPIC, "127.0.0.1:1", CREDENTIAL, List.of((answer, from) -> from == 0 ? 63 : (int) from))
                .get(0);
        for (long offset = 0; offset < 1L << 20; offset = polls.received()) {
            var sent = new SentRequest(polls.next());

            assertThat(sent.line()).isEqualTo("POST /v1/api/message?id=00000000&type=getMessage HTTP/1.1");
            assertThat(sent.header("Content-Length")).isEqualTo(Integer.toString(sent.body().length));
            assertThat(sent.header(RequestSignature.CONTENT_MD5)).isEqualTo(RequestSignature.md5Hex(sent.body()));
            String text = RequestSignature.stringToSign("POST", "/v1/api/message", null, sent.headers());
            assertThat(sent.header("Authorization"))
                    .isEqualTo("Galaxy-V3 AKBENCH:" + RequestSignature.sign("a-secret", text));
            assertThat(sent.call("getMessage", new GetMessageRequest()).getMessageOffset())
                    .isEqualTo(offset);
            polls.answered(ByteBuffer.allocate(0));
        }
    }

    @Test
    void nextGetIsFromBehindTheLastMessageOfTheAnswer() throws Exception {
        assertThat(asked().getMessageOffset()).isZero();

        assertThat(signed.answered(answer(block(0, MESSAGE), block(1, MESSAGE))))
                .isEqualTo(Outcome.DONE);

        GetMessageRequest next = asked();
        assertThat(next.getMessageOffset()).isEqualTo(2);
        assertThat(next.getTopicAndPartition().getPartitionId()).isEqualTo(2);
        assertThat(signed.received()).isEqualTo(2);
    }

    @Test
    void emptyAnswerIsNoGetAndIsAskedForAgain() throws Exception {
        assertThat(signed.answered(answer())).isEqualTo(Outcome.NOTHING);
        assertThat(rest.answered(json(0))).isEqualTo(Outcome.NOTHING);

        assertThat(asked().getMessageOffset()).isZero();
        assertThat(rest.received()).isZero();
    }

    @Test
    void otherMessagesThanThoseThatWerePutAreWrong() throws Exception {
        byte[] other = "a massage".getBytes(StandardCharsets.US_ASCII);

        assertThat(signed.answered(answer(block(0, other)))).isEqualTo(Outcome.WRONG);
        assertThat(signed.answered(answer(block(1, MESSAGE)))).isEqualTo(Outcome.WRONG);
        assertThat(signed.answered(answer(block(0, MESSAGE), block(2, MESSAGE))))
                .isEqualTo(Outcome.WRONG);
        assertThat(signed.answered(ByteBuffer.allocate(20))).isEqualTo(Outcome.WRONG);
        assertThat(rest.answered(json(1, "a massage"))).isEqualTo(Outcome.WRONG);
        assertThat(rest.answered(json(2, "a message"))).isEqualTo(Outcome.WRONG);
        assertThat(signed.received() + rest.received()).isZero();
    }

    @Test
    void errorOfTheServiceIsWrong() throws Exception {
        var error = new GalaxyTalosException().setErrorCode(ErrorCode.UNEXPECTED_MESSAGE_OFFSET);
        EnvelopeHead call = new EnvelopeHead("getMessage", (byte) 1, 1);

        assertThat(signed.answered(whole(Envelope.reply(ThriftEncoding.COMPACT, call, null, error))))
                .isEqualTo(Outcome.WRONG);
    }

    @Test
    void getsOverRestFollowEachOther() {
        assertThat(new SentRequest(rest.next()).line())
                .startsWith("GET /v1/topics/orders/partitions/0/messages?from=0&");

        assertThat(rest.answered(json(2, "a message", "a message"))).isEqualTo(Outcome.DONE);

        assertThat(new SentRequest(rest.next()).line()).contains("from=2&").contains("&wait=");
        assertThat(Optional.of(new SentRequest(rest.next()).header("authorization")))
                .hasValueSatisfying(text -> assertThat(text).startsWith("Basic "));
    }

    @Test
    void answerOfTheBareServerIsOneMessageByItsLength() {
        assertThat(MessageCheck.sized(10).count(ByteBuffer.allocate(10), 7)).isEqualTo(1);
        assertThat(MessageCheck.sized(10).count(ByteBuffer.allocate(0), 7)).isEqualTo(MessageCheck.WRONG);
    }
}
