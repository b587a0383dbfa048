// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.TopicTalosResourceName;

@Timeout(10)
class RepeatedCallsTest {
    private static final Credential CREDENTIAL = new Credential("AKBENCH", "a-secret");
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 2, Duration.ofDays(1));

    private static RequestSigner.Body offsets(String topic) {
        return RequestSigner.Body.of("getTopicOffset", new GetTopicOffsetRequest(new TopicTalosResourceName(topic)));
    }

    @Test
    void callsComeInOrderOverAndOverEachSignedOverItsOwnBody() throws Exception {
        RequestSigner signer = new RequestSigner("getTopicOffset", "/v1/api/message", "127.0.0.1:1", CREDENTIAL);
        RepeatedCalls calls = new RepeatedCalls(signer, List.of(offsets("me#a#1"), offsets("me#a-much-longer-name#1")));

        List<String> topics = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            SentRequest sent = new SentRequest(calls.next());
            topics.add(sent.call("getTopicOffset", new GetTopicOffsetRequest())
                    .getTopicTalosResourceName()
                    .getTopicTalosResourceName());
            assertThat(sent.header("Content-Length")).isEqualTo(Integer.toString(sent.body().length));
            assertThat(sent.header(RequestSignature.CONTENT_MD5)).isEqualTo(RequestSignature.md5Hex(sent.body()));
            String signed = RequestSignature.stringToSign("POST", "/v1/api/message", null, sent.headers());
            assertThat(sent.header("Authorization"))
                    .isEqualTo("Galaxy-V3 AKBENCH:" + RequestSignature.sign("a-secret", signed));
        }

        assertThat(topics).containsExactly("me#a#1", "me#a-much-longer-name#1", "me#a#1");
    }

    @Test
    void connectionsThatShareASignerDoNotShareTheirRequests() {
        RequestSigner signer = new RequestSigner("getTopicOffset", "/v1/api/message", "127.0.0.1:1", CREDENTIAL);
        ByteBuffer first = new RepeatedCalls(signer, List.of(offsets("me#first#1"))).next();
        ByteBuffer before =
                ByteBuffer.allocate(first.remaining()).put(first.duplicate()).flip();

        var unused = new RepeatedCalls(signer, List.of(offsets("me#other#1"))).next();

        assertThat(first).isEqualTo(before);
    }

    @Test
    void getsReadEachPartitionFromItsFirstOffsets() throws Exception {
        List<RepeatedCalls> gets = RepeatedCalls.gets(TOPIC, "127.0.0.1:1", CREDENTIAL, 2);

        assertThat(gets).hasSize(2);
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            GetMessageRequest get = new SentRequest(gets.get(1).next()).call("getMessage", new GetMessageRequest());
            assertThat(get.getTopicAndPartition().getPartitionId()).isEqualTo(1);
            offsets.add(get.getMessageOffset());
        }
        assertThat(offsets).containsExactly(0L, 1L, 0L);
    }
}
