// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.records.MessageRecords.Bounds;
import org.talos.server.http.rest.records.MessageRecords.Offsets;
import org.talos.server.service.call.PartitionName;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.OffsetInfo;

/** The first and the next offset of a topic's partitions, and the offsets of a time. Thread-safe. */
final class OffsetResources {

    List<Route> routes() {
        return List.of(Route.of("GET", "/v1/topics/{topic}/offsets", Route.Body.NONE, this::show)
                .named("offsets", "Where each partition begins and ends, or what it had at a time")
                .query("time", "First offset that was appended at or after it.", ValueType.time())
                .answers(200, "A line for each partition.", Offsets.class));
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        String topic = request.variable(0);
        var time = request.query().text("time").map(text -> Times.parse(text, request));
        return request.operations()
                .topics()
                .info(request.context(), topic)
                .thenCompose(info -> time.isPresent()
                        ? atTime(request, topic, info.getPartitionNumber(), time.get())
                        : bounds(request, info))
                .thenApply(offsets -> RestAnswer.json(200, offsets));
    }

    private CompletionStage<Offsets> bounds(RestRequest request, GetDescribeInfoResponse info) {
        return request.operations()
                .messages()
                .bounds(request.context(), info.getTopicTalosResourceName())
                .thenApply(offsets -> new Offsets(offsets.getOffsetInfoList().stream()
                        .map(OffsetResources::shown)
                        .toList()));
    }

    private static Bounds shown(OffsetInfo info) {
        int partition = info.getPartitionId();
        if (info.getErrorCode() == null) {
            return new Bounds(
                    partition,
                    OptionalLong.of(info.getStartOffset()),
                    OptionalLong.of(info.getEndOffset() + 1),
                    OptionalLong.empty());
        }
        if (info.getErrorCode() != ErrorCode.PARTITION_NOT_SERVING) {
            throw TalosException.refused(info.getErrorCode(), info.getErrorMsg());
        }
        return new Bounds(partition, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    private CompletionStage<Offsets> atTime(RestRequest request, String topic, int count, long millis) {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            offsets.add(request.operations()
                    .messages()
                    .offsetAtTime(request.context(), new PartitionName(topic, number), millis)
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(offsets.toArray(CompletableFuture[]::new))
                .thenApply(all -> new Offsets(IntStream.range(0, count)
                        .mapToObj(number -> atTime(number, offsets.get(number).join()))
                        .toList()));
    }

    private static Bounds atTime(int partition, long offset) {
        return new Bounds(partition, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(offset));
    }
}
