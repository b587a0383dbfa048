// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.records.PartitionRecords;
import org.talos.server.http.rest.records.PartitionRecords.Partitions;
import org.talos.server.http.rest.records.PartitionRecords.Segments;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.topic.PartitionViews.Bounds;
import org.talos.server.service.topic.PartitionViews.Segment;
import org.talos.server.service.topic.PartitionViews.Shown;

/** The partitions of a topic, and a partition's segments, for users who may describe the topic. Thread-safe. */
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
                .thenApply(all -> RestAnswer.json(
                        200,
                        new Partitions(
                                all.stream().map(PartitionResources::shown).toList())));
    }

    private static PartitionRecords.Shown shown(Shown partition) {
        return new PartitionRecords.Shown(
                partition.partition(),
                partition.server(),
                partition.address(),
                partition.epoch(),
                of(partition, Bounds::first),
                of(partition, Bounds::next),
                of(partition, bounds -> bounds.next() - bounds.first()),
                of(partition, Bounds::bytes),
                partition.putsPerSecond());
    }

    private static OptionalLong of(Shown partition, ToLongFunction<Bounds> number) {
        return partition.bounds().stream().mapToLong(number).findAny();
    }

    private CompletionStage<RestAnswer> segments(RestRequest request) {
        PartitionName partition = new PartitionName(request.variable(0), request.partition(1));
        return request.operations()
                .topics()
                .partitions()
                .segments(request.context(), partition)
                .thenApply(all -> RestAnswer.json(
                        200,
                        new Segments(
                                partition.number(),
                                all.stream().map(PartitionResources::shown).toList())));
    }

    private static PartitionRecords.Segment shown(Segment segment) {
        long first = segment.first();
        return new PartitionRecords.Segment(
                first,
                segment.end().stream()
                        .filter(end -> end > first)
                        .map(end -> end - 1)
                        .findAny(),
                segment.end().stream().map(end -> end - first).findAny(),
                segment.bytes(),
                segment.sealed(),
                segment.epoch(),
                time(segment.appendedFrom()),
                time(segment.appendedTo()));
    }

    private static Optional<Instant> time(OptionalLong millis) {
        return millis.stream().mapToObj(Instant::ofEpochMilli).findAny();
    }
}
