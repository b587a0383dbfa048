// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

class FetchFrameTest {
    private static final int PARTITION = 3;

    private final FetchFrame frame = new FetchFrame("peers", PARTITION);
    private final List<String> got = new ArrayList<>();

    private static ByteBuffer answer(int correlation, Errors error, long offset, String... messages) {
        SimpleRecord[] records = Stream.of(messages)
                .map(each -> new SimpleRecord(each.getBytes(StandardCharsets.UTF_8)))
                .toArray(SimpleRecord[]::new);
        PartitionData partition = new PartitionData()
                .setPartitionIndex(PARTITION)
                .setErrorCode(error.code())
                .setRecords(MemoryRecords.withRecords(offset, Compression.NONE, records));
        return BrokerAnswers.of(
                ApiKeys.FETCH,
                FetchFrame.VERSION,
                correlation,
                new FetchResponseData()
                        .setResponses(List.of(
                                new FetchableTopicResponse().setTopic("peers").setPartitions(List.of(partition)))));
    }

    private void read(ByteBuffer answer) throws IOException {
        frame.read(
                answer,
                message -> got.add(StandardCharsets.UTF_8.decode(message).toString()));
    }

    /** Reads the request by Kafka's classes, and returns its offset. */
    private static long offset(ByteBuffer request, int correlation) {
        assertThat(request.getInt()).isEqualTo(request.remaining());
        RequestHeader header = RequestHeader.parse(request);
        assertThat(header.apiKey()).isEqualTo(ApiKeys.FETCH);
        assertThat(header.correlationId()).isEqualTo(correlation);
        FetchRequestData fetch = new FetchRequestData(new ByteBufferAccessor(request), FetchFrame.VERSION);
        assertThat(fetch.minBytes()).isEqualTo(1);
        assertThat(fetch.topics().get(0).topic()).isEqualTo("peers");
        FetchPartition from = fetch.topics().get(0).partitions().get(0);
        assertThat(from.partition()).isEqualTo(PARTITION);
        return from.fetchOffset();
    }

    @Test
    void nextRequestBeginsBehindTheMessagesOfTheAnswer() throws IOException {
        assertThat(offset(frame.request(), 1)).isZero();
        assertThat(frame.request().hasRemaining()).as("one at a time").isFalse();

        read(answer(1, Errors.NONE, 0, "a", "b"));

        assertThat(got).containsExactly("a", "b");
        assertThat(offset(frame.request(), 2)).isEqualTo(2);
    }

    @Test
    void messagesBeforeTheRequestedOffsetAreSkipped() throws IOException {
        var first = frame.request();
        read(answer(1, Errors.NONE, 0, "a", "b"));
        var second = frame.request();
        read(answer(2, Errors.NONE, 0, "a", "b", "c"));

        assertThat(first).isSameAs(second);
        assertThat(got).containsExactly("a", "b", "c");
    }

    @Test
    void answerIsReadOnceItIsWhole() throws IOException {
        var unused = frame.request();
        ByteBuffer answer = answer(1, Errors.NONE, 0, "a");
        int whole = answer.limit();

        read(answer.limit(whole - 1));
        assertThat(got).isEmpty();
        assertThat(frame.request().hasRemaining()).isFalse();
        read(answer.limit(whole));

        assertThat(got).containsExactly("a");
    }

    @Test
    void answerWithoutMessagesLeadsToTheSameRequest() throws IOException {
        var unused = frame.request();

        read(answer(1, Errors.NONE, 0));

        assertThat(got).isEmpty();
        assertThat(offset(frame.request(), 2)).isZero();
    }

    @Test
    void failedGetIsRefused() {
        var unused = frame.request();

        assertThatThrownBy(() -> read(answer(1, Errors.OFFSET_OUT_OF_RANGE, 0, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("OFFSET_OUT_OF_RANGE");
        assertThat(got).isEmpty();
    }
}
