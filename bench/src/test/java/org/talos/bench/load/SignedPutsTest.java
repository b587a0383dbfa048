// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.PutMessageRequest;

@Timeout(10)
class SignedPutsTest {
    private static final Credential CREDENTIAL = new Credential("AKBENCH", "a-secret");
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 3, Duration.ofDays(1));

    private final List<SignedPuts> puts = SignedPuts.toAll(TOPIC, "127.0.0.1:1", CREDENTIAL, 1_000, 7);

    private static PutMessageRequest put(SentRequest sent) throws Exception {
        return sent.call("putMessage", new PutMessageRequest());
    }

    @Test
    void everyPutIsSignedOverWhatIsSent() {
        for (int i = 0; i < 20; i++) {
            var sent = new SentRequest(puts.get(i % 3).next());

            assertThat(sent.line()).isEqualTo("POST /v1/api/message?id=00000000&type=putMessage HTTP/1.1");
            assertThat(sent.header("Content-Length")).isEqualTo(Integer.toString(sent.body().length));
            assertThat(sent.header(RequestSignature.CONTENT_MD5)).isEqualTo(RequestSignature.md5Hex(sent.body()));
            String signed = RequestSignature.stringToSign("POST", "/v1/api/message", null, sent.headers());
            assertThat(sent.header("Authorization"))
                    .isEqualTo("Galaxy-V3 AKBENCH:" + RequestSignature.sign("a-secret", signed));
        }
    }

    @Test
    void everyPutIsAnotherToItsOwnPartition() throws Exception {
        PutMessageRequest first = put(new SentRequest(puts.get(2).next()));
        PutMessageRequest second = put(new SentRequest(puts.get(2).next()));

        assertThat(first.getTopicAndPartition().getPartitionId()).isEqualTo(2);
        assertThat(first.getSequenceId()).endsWith("#0000000001");
        assertThat(second.getSequenceId()).endsWith("#0000000002");
        assertThat(second.getMessageBlocks()).isEqualTo(first.getMessageBlocks());
    }

    @Test
    void messageHasTheSizeThatWasAskedFor() throws Exception {
        PutMessageRequest put = put(new SentRequest(puts.get(0).next()));

        assertThat(MessageBlocks.read(put.getMessageBlocks().get(0), 10_000))
                .singleElement()
                .satisfies(each -> assertThat(each.getMessage().getMessage()).hasSize(1_000));
        assertThat(puts.get(0).block())
                .isEqualTo(put.getMessageBlocks().get(0).bufferForMessageBlock())
                .matches(ByteBuffer::hasRemaining);
    }
}
