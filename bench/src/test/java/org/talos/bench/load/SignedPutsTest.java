// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.message.MessageBlocks;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.PutMessageRequest;

@Timeout(10)
class SignedPutsTest {
    private static final Credential CREDENTIAL = new Credential("AKBENCH", "a-secret");
    private static final TopicDescription TOPIC = new TopicDescription("orders", "me#orders#1", "me", 3, 86_400);

    private final List<SignedPuts> puts = SignedPuts.toAll(TOPIC, "127.0.0.1:1", CREDENTIAL, 1_000, 7);

    /** A request taken apart. */
    private static final class Sent {
        private final String line;
        private final Map<String, List<String>> headers = new HashMap<>();
        private final byte[] body;

        Sent(ByteBuffer request) {
            byte[] bytes = new byte[request.remaining()];
            request.get(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n");
            String[] lines = text.substring(0, end).split("\r\n");
            line = lines[0];
            for (String each : Arrays.asList(lines).subList(1, lines.length)) {
                int colon = each.indexOf(": ");
                headers.put(each.substring(0, colon).toLowerCase(Locale.ROOT), List.of(each.substring(colon + 2)));
            }
            body = Arrays.copyOfRange(bytes, end + 4, bytes.length);
        }

        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of(""))
                    .get(0);
        }

        PutMessageRequest put() throws Exception {
            var in = Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length);
            assertThat(Envelope.readHead(in).method()).isEqualTo("putMessage");
            var put = new PutMessageRequest();
            Envelope.readArguments(in, put);
            return put;
        }
    }

    @Test
    void everyPutIsSignedOverWhatIsSent() {
        for (int i = 0; i < 20; i++) {
            var sent = new Sent(puts.get(i % 3).next());

            assertThat(sent.line).isEqualTo("POST /v1/api/message?id=00000000&type=putMessage HTTP/1.1");
            assertThat(sent.header("Content-Length")).isEqualTo(Integer.toString(sent.body.length));
            assertThat(sent.header(RequestSignature.CONTENT_MD5)).isEqualTo(RequestSignature.md5Hex(sent.body));
            String signed = RequestSignature.stringToSign("POST", "/v1/api/message", null, sent.headers);
            assertThat(sent.header("Authorization"))
                    .isEqualTo("Galaxy-V3 AKBENCH:" + RequestSignature.sign("a-secret", signed));
        }
    }

    @Test
    void everyPutIsAnotherToItsOwnPartition() throws Exception {
        PutMessageRequest first = new Sent(puts.get(2).next()).put();
        PutMessageRequest second = new Sent(puts.get(2).next()).put();

        assertThat(first.getTopicAndPartition().getPartitionId()).isEqualTo(2);
        assertThat(first.getSequenceId()).endsWith("#0000000001");
        assertThat(second.getSequenceId()).endsWith("#0000000002");
        assertThat(second.getMessageBlocks()).isEqualTo(first.getMessageBlocks());
    }

    @Test
    void messageHasTheSizeThatWasAskedFor() throws Exception {
        PutMessageRequest put = new Sent(puts.get(0).next()).put();

        assertThat(MessageBlocks.read(put.getMessageBlocks().get(0), 10_000))
                .singleElement()
                .satisfies(each -> assertThat(each.getMessage().getMessage()).hasSize(1_000));
    }
}
