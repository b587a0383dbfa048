// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.records.MessageRecords.Offsets;
import org.talos.server.service.call.PartitionName;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.OffsetInfo;

/** The first and the next offset of a topic's partitions, and the offsets of a time. Thread-safe. */
final class OffsetResources {

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/topics/{topic}/offsets", Route.Body.NONE, this::show)
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
                .thenApply(json -> RestAnswer.json(200, json));
    }

    private CompletionStage<ObjectNode> bounds(RestRequest request, GetDescribeInfoResponse info) {
        return request.operations()
                .messages()
                .bounds(request.context(), info.getTopicTalosResourceName())
                .thenApply(offsets -> {
                    ObjectNode json = JsonNodeFactory.instance.objectNode();
                    ArrayNode partitions = json.putArray("partitions");
                    for (OffsetInfo each : offsets.getOffsetInfoList()) {
                        show(each, partitions.addObject().put("partition", each.getPartitionId()));
                    }
                    return json;
                });
    }

    private static void show(OffsetInfo info, ObjectNode json) {
        if (info.getErrorCode() == null) {
            json.put("start", info.getStartOffset()).put("end", info.getEndOffset() + 1);
        } else if (info.getErrorCode() != ErrorCode.PARTITION_NOT_SERVING) {
            throw TalosException.refused(info.getErrorCode(), info.getErrorMsg());
        }
    }

    private CompletionStage<ObjectNode> atTime(RestRequest request, String topic, int count, long millis) {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            offsets.add(request.operations()
                    .messages()
                    .offsetAtTime(request.context(), new PartitionName(topic, number), millis)
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(offsets.toArray(CompletableFuture[]::new))
                .thenApply(all -> {
                    ObjectNode json = JsonNodeFactory.instance.objectNode();
                    ArrayNode partitions = json.putArray("partitions");
                    for (int number = 0; number < count; number++) {
                        partitions
                                .addObject()
                                .put("partition", number)
                                .put("offset", offsets.get(number).join());
                    }
                    return json;
                });
    }
}
