// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.records.PartitionRecords.Partitions;
import org.talos.server.http.rest.records.PartitionRecords.Segments;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.topic.PartitionViews.Segment;
import org.talos.server.service.topic.PartitionViews.Shown;

/** The partitions of a topic, and the segments of one, for users who may describe the topic. Thread-safe. */
public final class PartitionResources {
    private static final String PARTITIONS = "/v1/topics/{topic}/partitions";
    private static final String SEGMENTS = PARTITIONS + "/{partition}/segments";

    public List<Route> routes() {
        return List.of(
                Route.of("GET", PARTITIONS, Route.Body.NONE, this::list)
                        .named(
                                "partitions",
                                "The partitions: who serves each, what it holds, and how much is put to it")
                        .answers(200, "All partitions, by number.", Partitions.class),
                Route.of("GET", SEGMENTS, Route.Body.NONE, this::segments)
                        .named("segments", "The segments of a partition")
                        .answers(200, "By their offsets, oldest first.", Segments.class));
    }

    private CompletionStage<RestAnswer> list(RestRequest request) {
        return request.operations()
                .topics()
                .partitions()
                .list(request.context(), request.variable(0))
                .thenApply(all -> {
                    ObjectNode json = JsonNodeFactory.instance.objectNode();
                    ArrayNode partitions = json.putArray("partitions");
                    all.forEach(each -> write(each, partitions.addObject()));
                    return RestAnswer.json(200, json);
                });
    }

    private static void write(Shown partition, ObjectNode json) {
        json.put("partition", partition.partition());
        partition.server().ifPresent(server -> json.put("server", server));
        partition.address().ifPresent(address -> json.put("address", address));
        partition.epoch().ifPresent(epoch -> json.put("epoch", epoch));
        partition
                .bounds()
                .ifPresent(bounds -> json.put("first", bounds.first())
                        .put("next", bounds.next())
                        .put("messages", bounds.next() - bounds.first())
                        .put("bytes", bounds.bytes()));
        partition.putsPerSecond().ifPresent(rate -> json.put("putsPerSecond", rate));
    }

    private CompletionStage<RestAnswer> segments(RestRequest request) {
        PartitionName partition = new PartitionName(request.variable(0), request.partition(1));
        return request.operations()
                .topics()
                .partitions()
                .segments(request.context(), partition)
                .thenApply(all -> {
                    ObjectNode json = JsonNodeFactory.instance.objectNode().put("partition", partition.number());
                    ArrayNode segments = json.putArray("segments");
                    all.forEach(each -> write(each, segments.addObject()));
                    return RestAnswer.json(200, json);
                });
    }

    private static void write(Segment segment, ObjectNode json) {
        json.put("first", segment.first());
        segment.end().ifPresent(end -> {
            if (end > segment.first()) {
                json.put("last", end - 1);
            }
            json.put("messages", end - segment.first());
        });
        segment.bytes().ifPresent(bytes -> json.put("bytes", bytes));
        json.put("sealed", segment.sealed());
        json.put("epoch", segment.epoch());
        segment.appendedFrom()
                .ifPresent(time ->
                        json.put("appendedFrom", Instant.ofEpochMilli(time).toString()));
        segment.appendedTo()
                .ifPresent(time ->
                        json.put("appendedTo", Instant.ofEpochMilli(time).toString()));
    }
}
