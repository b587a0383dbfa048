// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Put;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.server.storage.LogId;
import org.talos.thrift.ConsumerGroupAndTopic;
import org.talos.thrift.DescribeGroupRequest;
import org.talos.thrift.DescribeGroupResponse;
import org.talos.thrift.DescribedPartition;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDataPreviewResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionsOffsetRequest;
import org.talos.thrift.GetPartitionsOffsetResponse;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.GetTopicConsumeUnitResponse;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.ResetGroupRequest;
import org.talos.thrift.ResetGroupResponse;
import org.talos.thrift.ResetPlace;

/** Calls about partitions that another server has, that nobody has, or that this one is not sure of. */
class RoutedCallsTest extends MessageFixture {
    private static final Location THERE =
            new Location.There(new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082"));

    private LogId id;

    @BeforeEach
    void find() {
        String resource = partition.getTopicTalosResourceName().getTopicTalosResourceName();
        id = new LogId(resource.substring(resource.lastIndexOf('#') + 1), 0);
    }

    private PutMessageResponse putWell() throws Exception {
        PutMessageResponse response = new PutMessageResponse();
        Answer answer = call(ServiceName.MESSAGE, "putMessage", put("a", MessageCompressionType.NONE), ANN, GO);
        assertThat(answer.read(response)).isEmpty();
        return response;
    }

    @Test
    void putAndGetGoToTheServerThatHasThePartitionAndSayThatTheyWereTransferred() throws Exception {
        assertThat(putWell().isIsTransfer()).isFalse();
        coordinator.place(THERE);

        assertThat(putWell().isIsTransfer()).isTrue();
        GetMessageResponse got = get(0, GO);

        assertThat(got.isIsTransfer()).isTrue();
        assertThat(got.getMessageNumber()).isEqualTo(1);
        assertThat(other.puts())
                .singleElement()
                .satisfies(put -> assertThat(put.sequenceId()).isEqualTo("client#1"));
        assertThat(other.hops()).allSatisfy(forward -> {
            assertThat(forward.caller()).isEqualTo("ann");
            assertThat(forward.deadlineNanos()).isGreaterThan(ticker.nanos());
        });
    }

    @Test
    void offsetsAndPreviewComeFromTheServerThatHasThePartition() throws Exception {
        coordinator.place(THERE);
        putWell();
        putWell();

        assertThat(end()).isEqualTo(1);
        GetDataPreviewResponse preview = new GetDataPreviewResponse();
        assertThat(call(ServiceName.METRIC, "getDataPreview", new GetDataPreviewRequest(partition), ANN, GO)
                        .read(preview))
                .isEmpty();
        assertThat(preview.getMessageNumber()).isEqualTo(2);
        assertThat(preview.isIsTransfer()).isTrue();
    }

    @Test
    void getThatWaitsAtAnotherServerIsAnsweredWhenThisOneStops() throws Exception {
        coordinator.place(THERE);
        other.hang();
        CompletableFuture<ServiceAnswer> waiting =
                send(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "g#1"), ANN, GO);
        assertThat(waiting).isNotDone();

        services.endWaits();

        GetMessageResponse got = new GetMessageResponse();
        assertThat(new Answer("getMessage", waiting.get(20, TimeUnit.SECONDS)).read(got))
                .isEmpty();
        assertThat(got.getMessageNumber()).isZero();
        assertThat(get(0, GO).getMessageNumber()).isZero();
    }

    @Test
    void offsetsOfManyAreToldWithoutTheServerThatDoesNotAnswerSoon() throws Exception {
        coordinator.place(THERE);
        other.hang();
        var topic = new GetTopicOffsetRequest(partition.getTopicTalosResourceName());
        CompletableFuture<ServiceAnswer> ofTopic = send(ServiceName.MESSAGE, "getTopicOffset", topic, ANN, GO);
        CompletableFuture<ServiceAnswer> ofMany = send(
                ServiceName.MESSAGE,
                "getPartitionsOffset",
                new GetPartitionsOffsetRequest(List.of(partition)),
                ANN,
                GO);
        await().until(() -> other.hops().size() == 2);
        assertThat(other.hops())
                .allSatisfy(forward -> assertThat(forward.deadlineNanos() - ticker.nanos())
                        .isLessThan(Duration.ofSeconds(6).toNanos()));

        other.giveUp(TalosException.refused(ErrorCode.REQUEST_PROCESS_TIMEOUT, "not in time"));

        GetTopicOffsetResponse all = new GetTopicOffsetResponse();
        assertThat(new Answer("getTopicOffset", ofTopic.get(20, TimeUnit.SECONDS)).read(all))
                .isEmpty();
        GetPartitionsOffsetResponse many = new GetPartitionsOffsetResponse();
        assertThat(new Answer("getPartitionsOffset", ofMany.get(20, TimeUnit.SECONDS)).read(many))
                .isEmpty();
        assertThat(List.of(all.getOffsetInfoList(), many.getOffsetInfoList()))
                .allSatisfy(infos -> assertThat(infos)
                        .extracting(OffsetInfo::getErrorCode)
                        .containsExactly(ErrorCode.PARTITION_NOT_SERVING));
    }

    @Test
    void ownerIsInformedThatTheClientGotNoAnswer() throws Exception {
        coordinator.place(THERE);
        Answer first = call(ServiceName.MESSAGE, "putMessage", put("same", MessageCompressionType.NONE), ANN, GO);

        first.whole().delivery().ended(false);

        assertThat(other.unanswered()).isEqualTo(1);
    }

    @Test
    void partitionThatNobodyServesIsNotServing() throws Exception {
        coordinator.place(new Location.Nowhere(Duration.ofSeconds(1)));

        assertNotServing(answerTo(put("a", MessageCompressionType.NONE), GO));
        assertNotServing(call(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "g#1"), ANN, GO)
                .read(new GetMessageResponse()));
    }

    @Test
    void groupIsDescribedAsFarAsItIsKnownWhileNobodyServesItsPartition() throws Exception {
        putWell();
        var reset = new ResetGroupRequest("orders", "shop", ResetPlace.EARLIEST, false, false);
        assertThat(call(ServiceName.ADMIN, "resetGroup", reset, ANN, GO).read(new ResetGroupResponse()))
                .isEmpty();
        coordinator.place(new Location.Nowhere(Duration.ofSeconds(1)));

        DescribeGroupResponse answer = new DescribeGroupResponse();
        var asked = new DescribeGroupRequest("orders", "shop");
        assertThat(call(ServiceName.ADMIN, "describeGroup", asked, ANN, GO).read(answer))
                .isEmpty();

        DescribedPartition known = new DescribedPartition(0);
        assertThat(answer.getPartitions()).containsExactly(known.setCommittedOffset(0));
        var sdks = new GetTopicConsumeUnitRequest(
                new ConsumerGroupAndTopic("shop", partition.getTopicTalosResourceName()));
        assertNotServing(
                call(ServiceName.METRIC, "getTopicConsumeUnit", sdks, ANN, GO).read(new GetTopicConsumeUnitResponse()));
    }

    private static void assertNotServing(Optional<GalaxyTalosException> error) {
        assertThat(error).hasValueSatisfying(answer -> {
            assertThat(answer.getErrorCode()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING);
            assertThat(answer.getErrMsg()).contains("partition not serving error");
            assertThat(answer.getDetails()).contains("effect: NONE");
            assertThat(answer.getEffect()).isEqualTo("NONE");
        });
    }

    @Test
    void serverThatIsCutOffServesNothing() throws Exception {
        coordinator.cutOffAfter(0);

        assertNotServing(answerTo(put("a", MessageCompressionType.NONE), GO));
        coordinator.cutOffAfter(Integer.MAX_VALUE);
        assertThat(end()).isEqualTo(-1);
    }

    @Test
    void putDuringWhichTheServerIsCutOffIsUnknownAndItsRepetitionIsRecognised() throws Exception {
        coordinator.cutOffAfter(1);

        assertThat(answerTo(put("a", MessageCompressionType.NONE), GO)).hasValueSatisfying(answer -> {
            assertThat(answer.getErrorCode()).isEqualTo(ErrorCode.INTERNAL_SERVER_ERROR);
            assertThat(answer.getDetails()).contains("effect: UNKNOWN");
            assertThat(answer.getEffect()).isEqualTo("UNKNOWN");
        });

        coordinator.cutOffAfter(Integer.MAX_VALUE);
        assertThat(answerTo(put("a", MessageCompressionType.NONE), GO)).isEmpty();
        assertThat(end()).isZero();
    }

    @Test
    void requestOfAnotherServerIsAnsweredHereOrNotAtAll() {
        coordinator.place(THERE);
        PartitionRequests forOthers = services.forOthers();
        ForwardContext forward = new ForwardContext("ann", ticker.nanos() + 5_000_000_000L);
        Block block = BlockMapping.toLog(
                put("a", MessageCompressionType.NONE).getMessageBlocks().get(0));

        assertThat(join(forOthers.put(id, new Put("s#1", Put.Origin.UNIQUE, List.of(block)), forward))
                        .firstOffset())
                .isZero();
        assertThat(join(forOthers.read(id, new ReadRequest(0, new BlockLimits(10, 1_000), 0, 0), forward))
                        .blocks())
                .hasSize(1);
        assertThat(other.puts()).isEmpty();

        LogId strange = new LogId(id.topicId(), 99);
        assertThat(join(forOthers.bounds(List.of(id, strange), forward))).containsOnlyKeys(id);
        assertThatThrownBy(() -> join(forOthers.offsetAtTime(strange, 0, forward)))
                .hasCauseInstanceOf(TalosException.class)
                .cause()
                .extracting(error -> ((TalosException) error).effect())
                .isEqualTo(Effect.NONE);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
