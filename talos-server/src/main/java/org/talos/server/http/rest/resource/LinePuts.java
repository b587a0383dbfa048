// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.BodyMemory;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonMemory;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.stream.LineSink;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.PartitionName;
import org.talos.thrift.Message;
import org.talos.thrift.MessageCompressionType;

/**
 * Puts one message for each line. Lines that arrive together go to each of their partitions as one block. The first
 * line that is wrong or cannot be stored ends the stream, so that later lines never overtake it.
 *
 * <p>Confined: one stream.
 */
final class LinePuts implements LineSink {
    private final RestRequest request;
    private final String topic;
    private final int fixed;
    private final PutPlaces places;

    /**
     * Puts to a topic.
     *
     * @param fixed the partition of all lines, or -1
     * @param places the partitions of lines that name none
     */
    LinePuts(RestRequest request, String topic, int fixed, PutPlaces places) {
        this.request = request;
        this.topic = topic;
        this.fixed = fixed;
        this.places = places;
    }

    @Override
    public CompletionStage<Results> take(CallContext context, List<ByteBuffer> lines, Executor after) {
        RequestMemory memory = request.memory().part();
        BodyMemory.reserve(
                memory,
                lines.stream().mapToLong(JsonMemory::of).sum(),
                lines.stream().mapToLong(ByteBuffer::remaining).sum());
        CompletionStage<Results> results;
        try {
            results = put(context, lines, after);
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
        return results.whenComplete((done, thrown) -> memory.close());
    }

    private CompletionStage<Results> put(CallContext context, List<ByteBuffer> lines, Executor after) {
        Map<Integer, List<Integer>> byPartition = new TreeMap<>();
        List<Message> messages = new ArrayList<>();
        @Nullable Problem wrong = null;
        for (ByteBuffer line : lines) {
            try {
                JsonObject json = Json.readPut(line);
                OptionalInt named = json.integer("partition");
                Message message = MessageJson.read(json, request.nowMillis());
                int partition = partition(named, message);
                byPartition
                        .computeIfAbsent(partition, each -> new ArrayList<>())
                        .add(messages.size());
                messages.add(message);
            } catch (ProblemException e) {
                wrong = e.problem();
                break;
            }
        }
        List<PartitionPut> parts = new ArrayList<>();
        byPartition.forEach((partition, indexes) -> parts.add(put(context, partition, indexes, messages)));
        Optional<Problem> broken = Optional.ofNullable(wrong);
        return PartitionPut.all(parts).thenApplyAsync(done -> results(messages.size(), parts, broken), after);
    }

    private int partition(OptionalInt named, Message message) {
        if (fixed >= 0) {
            if (named.isPresent() && named.getAsInt() != fixed) {
                throw ProblemException.badRequest("field partition (expected: " + fixed + ", as in the path)");
            }
            return fixed;
        }
        if (named.isPresent()) {
            return named.getAsInt();
        }
        return places.of(message);
    }

    private PartitionPut put(CallContext context, int partition, List<Integer> indexes, List<Message> messages) {
        List<Message> chosen = indexes.stream().map(messages::get).toList();
        return new PartitionPut(
                partition,
                indexes,
                request.operations()
                        .messages()
                        .put(
                                context,
                                new PartitionName(topic, partition),
                                MessageBlocks.write(chosen, MessageCompressionType.NONE, request.nowMillis()))
                        .toCompletableFuture());
    }

    private static Results results(int count, List<PartitionPut> parts, Optional<Problem> broken) {
        List<ObjectNode> all = new ArrayList<>(List.of(PartitionPut.results(count, parts)));
        broken.ifPresent(
                problem -> all.add(JsonNodeFactory.instance.objectNode().set("problem", problem.toJson(null))));
        return new Results(all, broken.isEmpty() && parts.stream().allMatch(PartitionPut::isStored));
    }
}
