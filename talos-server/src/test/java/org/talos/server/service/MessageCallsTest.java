// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.thrift.TApplicationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.common.message.MessageBlocks;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ConsumerGroupAndTopic;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDataPreviewResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.GetTopicConsumeUnitResponse;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PartitionConsumeUnit;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.QueryTopicConsumeUnitRequest;
import org.talos.thrift.QueryTopicConsumeUnitResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.Version;

/** The calls about messages, of a server that has all partitions. */
class MessageCallsTest extends MessageFixture {
    @Test
    void equalPutsOfTheGoSdkAreBothStored() throws Exception {
        assertThat(answerTo(put("same", MessageCompressionType.NONE), GO)).isEmpty();
        assertThat(answerTo(put("same", MessageCompressionType.NONE), GO)).isEmpty();

        assertThat(end()).isEqualTo(1);
    }

    @Test
    void anEqualPutOfTheGoSdkIsARepetitionOnceTheFirstAnswerWasLost() throws Exception {
        Answer first = call(ServiceName.MESSAGE, "putMessage", put("same", MessageCompressionType.NONE), ANN, GO);
        first.whole().delivery().ended(false);

        assertThat(answerTo(put("same", MessageCompressionType.NONE), GO)).isEmpty();

        assertThat(end()).isZero();
    }

    @Test
    void anEqualPutOfTheJavaSdkIsARepetition() throws Exception {
        assertThat(answerTo(put("same", MessageCompressionType.NONE), JAVA)).isEmpty();
        assertThat(answerTo(put("same", MessageCompressionType.NONE), JAVA)).isEmpty();
        assertThat(answerTo(put("other", MessageCompressionType.NONE), JAVA)).isEmpty();

        assertThat(end()).isEqualTo(1);
    }

    @Test
    void blocksThatTheJavaSdkCannotReadAreWrittenAnewForIt() throws Exception {
        assertThat(answerTo(put("zstd", MessageCompressionType.ZSTD), GO)).isEmpty();

        assertThat(get(0, GO).getMessageBlocks().get(0).getCompressionType()).isEqualTo(MessageCompressionType.ZSTD);
        MessageBlock forJava = get(0, JAVA).getMessageBlocks().get(0);
        assertThat(forJava.getCompressionType()).isEqualTo(MessageCompressionType.SNAPPY);
        assertThat(MessageBlocks.read(forJava, 1 << 20).get(0).getMessage().getMessage())
                .isEqualTo("zstd".getBytes(StandardCharsets.UTF_8));
    }

    /** A put of a message whose block has the given plain length, modulo 256. */
    private PutMessageRequest putOfPlainLength(int modulo) {
        for (int length = 256; ; length++) {
            PutMessageRequest put = put("x".repeat(length), MessageCompressionType.NONE);
            if (put.getMessageBlocks().get(0).getMessageBlock().length % 256 == modulo) {
                return put;
            }
        }
    }

    /** Compresses as the Go SDK: the plain length, little-endian, and one LZ4 block, here of literals alone. */
    private static void compressInLz4(MessageBlock block) {
        byte[] plain = block.getMessageBlock();
        ByteBuffer lz4 = ByteBuffer.allocate(plain.length + 16).order(ByteOrder.LITTLE_ENDIAN);
        lz4.putInt(plain.length).put((byte) 0xf0);
        int left = plain.length - 15;
        for (; left >= 255; left -= 255) {
            lz4.put((byte) 255);
        }
        lz4.put((byte) left).put(plain).flip();
        block.setMessageBlock(lz4.order(ByteOrder.BIG_ENDIAN))
                .setMessageBlockSize(lz4.remaining())
                .setCompressionType(MessageCompressionType.LZ4);
    }

    /** The choice of the Go SDK's reader: by the first byte, before it decompresses. */
    private static boolean goTakesItForKafka(MessageBlock block) {
        return block.getMessageBlock()[0] == 'K';
    }

    @Test
    void lz4BlockThatTheGoSdkTakesForKafkasIsRewrittenForIt() throws Exception {
        PutMessageRequest put = putOfPlainLength('K');
        byte[] plain = put.getMessageBlocks().get(0).getMessageBlock();
        compressInLz4(put.getMessageBlocks().get(0));
        assertThat(answerTo(put, GO)).isEmpty();

        MessageBlock forGo = get(0, GO).getMessageBlocks().get(0);
        MessageBlock forOthers = get(0, "Talos-Java/1").getMessageBlocks().get(0);

        assertThat(goTakesItForKafka(forGo)).isFalse();
        assertThat(forGo.getCompressionType()).isEqualTo(MessageCompressionType.SNAPPY);
        assertThat(forGo.getMessageBlockSize()).isEqualTo(forGo.getMessageBlock().length);
        assertThat(MessageBlocks.read(forGo, 1 << 20)).isEqualTo(MessageBlocks.read(forOthers, 1 << 20));
        assertThat(goTakesItForKafka(forOthers)).isTrue();
        assertThat(forOthers.getCompressionType()).isEqualTo(MessageCompressionType.LZ4);
        assertThat(plain.length % 256).isEqualTo(75);
    }

    @Test
    void otherLz4BlocksReachTheGoSdkAsTheyAre() throws Exception {
        PutMessageRequest put = putOfPlainLength('L');
        compressInLz4(put.getMessageBlocks().get(0));
        assertThat(answerTo(put, GO)).isEmpty();

        assertThat(get(0, GO).getMessageBlocks().get(0).getCompressionType()).isEqualTo(MessageCompressionType.LZ4);
    }

    /** One that cannot be read, and of which that shows only when it is decompressed. */
    private PutMessageRequest brokenPut() {
        PutMessageRequest put = put("broken", MessageCompressionType.ZSTD);
        byte[] bytes = put.getMessageBlocks().get(0).getMessageBlock();
        bytes[bytes.length - 1] = (byte) ~bytes[bytes.length - 1];
        bytes[9] = -1;
        put.getMessageBlocks().get(0).setMessageBlock(ByteBuffer.wrap(bytes));
        return put.setSequenceId("client#2");
    }

    @Test
    void javaSdkGetsWhatIsBeforeABlockThatCannotBeRewrittenThenItsOffsets() throws Exception {
        assertThat(answerTo(put("zstd", MessageCompressionType.ZSTD), GO)).isEmpty();
        assertThat(answerTo(brokenPut(), GO)).isEmpty();

        GetMessageResponse before = get(0, JAVA);
        assertThat(before.getMessageBlocks()).hasSize(1);
        assertThat(before.getMessageNumber()).isEqualTo(1);
        assertThat(before.getUnHandledMessageNumber()).isEqualTo(1);
        GetMessageRequest request = new GetMessageRequest(partition, 1, "get#1");
        GalaxyTalosException error = call(ServiceName.MESSAGE, "getMessage", request, ANN, JAVA)
                .read(new GetMessageResponse())
                .orElseThrow();
        assertThat(error.getErrMsg())
                .contains("partition 0: the block of offsets 1 to 1")
                .contains("continue at 2");
    }

    @Test
    void previewShowsWhatCanBeShownAndNamesABlockThatCannot() throws Exception {
        assertThat(answerTo(brokenPut(), GO)).isEmpty();
        assertThat(answerTo(put("sound", MessageCompressionType.ZSTD), GO)).isEmpty();
        GetDataPreviewResponse preview = new GetDataPreviewResponse();

        assertThat(call(ServiceName.METRIC, "getDataPreview", new GetDataPreviewRequest(partition), ANN, GO)
                        .read(preview))
                .isEmpty();

        assertThat(preview.getMessageLists()).hasSize(2);
        assertThat(preview.getMessageLists().get(0).get("message")).contains("offsets 0 to 0 cannot be read");
        assertThat(preview.getMessageLists().get(1)).containsEntry("message", "sound");
    }

    @Test
    void outOfRangeIsAnsweredAsEachSdkUnderstandsIt() throws Exception {
        GetMessageRequest request = new GetMessageRequest(partition, 99, "get#1");
        Answer forGo = call(ServiceName.MESSAGE, "getMessage", request, ANN, GO);
        Answer forJava = call(ServiceName.MESSAGE, "getMessage", request, ANN, JAVA);

        TApplicationException answer =
                catchThrowableOfType(TApplicationException.class, () -> forGo.read(new GetMessageResponse()));
        assertThat(answer.getType()).isEqualTo(TApplicationException.INTERNAL_ERROR);
        assertThat(answer).hasMessageContaining("Message out range");
        GalaxyTalosException error = forJava.read(new GetMessageResponse()).orElseThrow();
        assertThat(error.getErrorCode()).isEqualTo(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE);
        assertThat(error.getErrMsg()).contains("Message out range");
        assertThat(error.getDetails()).isNotEmpty();
    }

    /** 38 is another code to all but the Java SDK, which knows no number above it. */
    @Test
    void consumerThatIsNotThereHasTheNumberThatEachSdkKnows() throws Exception {
        GetWorkerIdRequest request = new GetWorkerIdRequest(partition, "group");

        assertThat(call(ServiceName.CONSUMER, "getWorkerId", request, ANN, JAVA)
                        .read(null)
                        .orElseThrow()
                        .getErrorCode()
                        .getValue())
                .isEqualTo(38);
        assertThat(call(ServiceName.CONSUMER, "getWorkerId", request, ANN, GO)
                        .read(null)
                        .orElseThrow()
                        .getErrorCode()
                        .getValue())
                .isEqualTo(41);
    }

    @Test
    void aGetAtTheEndWaitsForAMessageWithoutAThread() throws Exception {
        CompletableFuture<ServiceAnswer> waiting =
                send(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "get#1"), ANN, GO);
        assertThat(waiting).isNotDone();

        assertThat(answerTo(put("there", MessageCompressionType.NONE), GO)).isEmpty();

        GetMessageResponse response = new GetMessageResponse();
        assertThat(new Answer("getMessage", waiting.get()).read(response)).isEmpty();
        assertThat(response.getMessageNumber()).isEqualTo(1);
    }

    @Test
    void aGetAtTheEndIsAnsweredEmptyWhenNothingComes() throws Exception {
        assertThat(get(-1, GO).getMessageBlocks()).isEmpty();
        assertThat(get(-2, GO).getMessageNumber()).isZero();
    }

    @Test
    void latestIsTheBlockOfTheLastMessage() throws Exception {
        answerTo(put("one", MessageCompressionType.NONE), GO);
        answerTo(put("two", MessageCompressionType.NONE), GO);

        assertThat(get(-2, GO).getMessageBlocks().get(0).getStartMessageOffset())
                .isEqualTo(1);
        assertThat(get(-1, GO).getMessageNumber()).isEqualTo(2);
    }

    @Test
    void aPutWhoseDeadlineHasPassedIsNotRun() throws Exception {
        PutMessageRequest late = put("late", MessageCompressionType.NONE);
        late.setTimeoutTimestamp(clock.millis() - 1_000);

        assertThat(answerTo(late, GO).orElseThrow().getErrorCode()).isEqualTo(ErrorCode.REQUEST_PROCESS_TIMEOUT);
        assertThat(end()).isEqualTo(-1);
    }

    @Test
    void aGetWhoseDeadlineHasPassedIsRefusedAlsoIfMemoryHasTheMessages() throws Exception {
        answerTo(put("here", MessageCompressionType.NONE), GO);
        GetMessageRequest late = new GetMessageRequest(partition, 0, "get#1");
        late.setTimeoutTimestamp(clock.millis() - 1_000);

        GalaxyTalosException refusal = call(ServiceName.MESSAGE, "getMessage", late, ANN, GO)
                .read(new GetMessageResponse())
                .orElseThrow();

        assertThat(refusal.getErrorCode()).isEqualTo(ErrorCode.REQUEST_PROCESS_TIMEOUT);
    }

    @Test
    void claimsThatDisagreeAreRefused() throws Exception {
        PutMessageRequest wrong = put("x", MessageCompressionType.NONE);
        wrong.setMessageNumber(2);

        assertThat(answerTo(wrong, GO).orElseThrow().getErrorCode()).isEqualTo(ErrorCode.MESSAGE_INCOMPLETE);
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void blockThatCannotHoldItsCountIsRefusedAndNotStoredThoughNothingIsDecompressed(MessageCompressionType type)
            throws Exception {
        long before = end();
        PutMessageRequest wrong = put("a text of some bytes", type);
        wrong.setMessageNumber(20);
        wrong.getMessageBlocks().get(0).setMessageNumber(20);

        assertThat(answerTo(wrong, GO).orElseThrow().getErrorCode()).isEqualTo(ErrorCode.MESSAGE_INCOMPLETE);
        assertThat(end()).isEqualTo(before);
    }

    @Test
    void namesAndRightsAreChecked() throws Exception {
        PutMessageRequest put = put("x", MessageCompressionType.NONE);
        assertThat(call(ServiceName.MESSAGE, "putMessage", put, BOB, GO)
                        .read(new PutMessageResponse())
                        .orElseThrow()
                        .getErrorCode())
                .isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR);
        TopicTalosResourceName name = partition.getTopicTalosResourceName();
        assertThat(failureAt(new TopicAndPartition("orders", name, 7))).isEqualTo(ErrorCode.PARTITION_NOT_EXIST);
        assertThat(failureAt(new TopicAndPartition("other", name, 0))).isEqualTo(ErrorCode.INVALID_NAME_ERROR);
        assertThat(failureAt(
                        new TopicAndPartition("orders", new TopicTalosResourceName("ann#orders#" + "0".repeat(32)), 0)))
                .isEqualTo(ErrorCode.TOPIC_NOT_EXIST);
        assertThat(failureAt(new TopicAndPartition("orders", new TopicTalosResourceName("../../etc"), 0)))
                .isEqualTo(ErrorCode.INVALID_NAME_ERROR);
    }

    private ErrorCode failureAt(TopicAndPartition elsewhere) throws Exception {
        PutMessageRequest put = put("x", MessageCompressionType.NONE);
        put.setTopicAndPartition(elsewhere);
        return answerTo(put, GO).orElseThrow().getErrorCode();
    }

    @Test
    void anOffsetThatFailsIsAnsweredBothWays() throws Exception {
        TopicAndPartition none = new TopicAndPartition("orders", partition.getTopicTalosResourceName(), 9);
        GetPartitionOffsetResponse response = new GetPartitionOffsetResponse();
        Optional<GalaxyTalosException> error = call(
                        ServiceName.MESSAGE, "getPartitionOffset", new GetPartitionOffsetRequest(none), ANN, GO)
                .read(response);

        assertThat(error.orElseThrow().getErrorCode()).isEqualTo(ErrorCode.PARTITION_NOT_EXIST);
        assertThat(response.getOffsetInfo().getErrorCode()).isEqualTo(ErrorCode.PARTITION_NOT_EXIST);
    }

    @Test
    void rareFieldsOfABlockComeBack() throws Exception {
        PutMessageRequest put = put("tagged", MessageCompressionType.NONE);
        put.getMessageBlocks().get(0).setTag("blue");
        put.getMessageBlocks().get(0).setCreateTimestampList(List.of(5L));
        assertThat(answerTo(put, GO)).isEmpty();

        MessageBlock block = get(0, GO).getMessageBlocks().get(0);
        assertThat(block.getTag()).isEqualTo("blue");
        assertThat(block.getCreateTimestampList()).containsExactly(5L);
    }

    @Test
    void routesNameThisServerUnderTheClientsOwnKeys() throws Exception {
        GetScheduleInfoResponse response = new GetScheduleInfoResponse();
        assertThat(call(
                                ServiceName.MESSAGE,
                                "getScheduleInfo",
                                new GetScheduleInfoRequest(partition.getTopicTalosResourceName()),
                                ANN,
                                GO)
                        .read(response))
                .isEmpty();

        assertThat(response.getScheduleInfo()).containsEntry(partition, "127.0.0.1:8080");
    }

    @Test
    void unknownAndUnbuiltCallsAreDistinguished() throws Exception {
        Answer unknown = call(ServiceName.MESSAGE, "renew", null, ANN, GO);
        assertThat(catchThrowableOfType(TApplicationException.class, () -> unknown.read(null))
                        .getType())
                .isEqualTo(TApplicationException.UNKNOWN_METHOD);
        assertThat(call(ServiceName.MESSAGE, "rollback", null, ANN, GO)
                        .read(new Version())
                        .orElseThrow()
                        .getErrMsg())
                .contains("rollback");
        assertThat(call(ServiceName.QUOTA, "getServiceVersion", null, ANN, GO).read(new Version()))
                .isEmpty();
    }

    @Test
    void metricServiceAnswersWhoConsumesAndHowFarBehind() throws Exception {
        for (String text : List.of("a", "b", "c")) {
            answerTo(put(text, MessageCompressionType.SNAPPY), GO);
        }
        TopicTalosResourceName name = partition.getTopicTalosResourceName();
        ConsumeUnit unit = new ConsumeUnit("shop", name, List.of(0), "10_0_0_7-worker");
        call(ServiceName.CONSUMER, "lockPartition", new LockPartitionRequest(unit), ANN, GO);
        CheckPoint checkpoint = new CheckPoint("shop", partition, 0, "10_0_0_7-worker");
        call(ServiceName.CONSUMER, "updateOffset", new UpdateOffsetRequest(checkpoint), ANN, GO);

        QueryTopicConsumeUnitResponse all = new QueryTopicConsumeUnitResponse();
        QueryTopicConsumeUnitRequest asked = new QueryTopicConsumeUnitRequest(name);
        assertThat(call(ServiceName.METRIC, "queryTopicConsumeUnit", asked, ANN, GO)
                        .read(all))
                .isEmpty();
        assertThat(all.getTopicConsumeUnitMap())
                .containsExactly(Map.entry("shop", List.of(new PartitionConsumeUnit(0, "10.0.0.7", 0, 2))));
        QueryConsumerGroupResponse groups = new QueryConsumerGroupResponse();
        call(ServiceName.METRIC, "queryConsumerGroup", new QueryConsumerGroupRequest(name), ANN, GO)
                .read(groups);
        assertThat(groups.getConsumerGroupList()).containsExactly("shop");
        GetTopicConsumeUnitRequest unknown = new GetTopicConsumeUnitRequest(new ConsumerGroupAndTopic("nobody", name));
        assertThat(call(ServiceName.METRIC, "getTopicConsumeUnit", unknown, ANN, GO)
                        .read(new GetTopicConsumeUnitResponse())
                        .orElseThrow()
                        .getErrorCode())
                .isEqualTo(ErrorCode.CONSUMER_NOT_EXIST);
        assertThat(call(ServiceName.METRIC, "queryTopicConsumeUnit", asked, BOB, GO)
                        .read(all)
                        .orElseThrow()
                        .getErrorCode())
                .isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR);
    }

    @Test
    void previewShowsTheNewestMessagesAsText() throws Exception {
        for (int i = 0; i < 15; i++) {
            answerTo(put("m" + i, MessageCompressionType.GZIP), GO);
        }
        GetDataPreviewResponse preview = new GetDataPreviewResponse();
        GetDataPreviewRequest asked = new GetDataPreviewRequest(partition);

        assertThat(call(ServiceName.METRIC, "getDataPreview", asked, ANN, GO).read(preview))
                .isEmpty();

        assertThat(preview.getSchemaTitleList()).containsExactly("message");
        assertThat(preview.getMessageNumber()).isEqualTo(10);
        assertThat(preview.getMessageLists().get(0)).containsEntry("message", "m5");
        assertThat(preview.getMessageLists().get(9)).containsEntry("message", "m14");
        assertThat(call(ServiceName.METRIC, "getDataPreview", asked, BOB, GO)
                        .read(preview)
                        .orElseThrow()
                        .getErrorCode())
                .isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR);
    }

    @Test
    void waitingGetsEndWhenTheServerStops() throws Exception {
        CompletableFuture<ServiceAnswer> waiting =
                send(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "get#1"), ANN, GO);

        partitions.close();

        await().until(waiting::isDone);
    }
}
