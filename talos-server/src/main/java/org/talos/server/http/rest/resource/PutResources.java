// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.RawMessage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.MessageHeaders;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.StoredPut;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.MessageType;

/**
 * Puts: batches of JSON, or one message of any bytes. A message with a key goes to the key's partition, as the topic's
 * partitioner says; those without go to one partition together, those of the next put to the next.
 *
 * <p>Thread-safe.
 */
final class PutResources {
    private static final String TO_TOPIC = "/v1/topics/{topic}/messages";
    private static final String TO_PARTITION = "/v1/topics/{topic}/partitions/{partition}/messages";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String JSON_IN_A_FORM =
            "JSON that is called a form, as curl -d does: for a batch of messages use curl --json '{\"messages\": …}', for "
                    + "one message of these bytes curl -H 'Content-Type: application/octet-stream' --data-binary '…'";
    private static final String BATCH_OF_NO_TYPE =
            "a batch of messages that is not called JSON: send {\"messages\": …} with the header Content-Type:"
                    + " application/json (curl --json, requests.post(json=…), fetch with headers), or one message of"
                    + " these bytes with Content-Type: application/octet-stream";
    private static final String TEXT = "text/"; // the type that browsers send for text of any kind
    /** Each byte is a character. Before it there may be the mark of the byte order in UTF-8. */
    private static final Pattern BATCH =
            Pattern.compile("(?:\u00ef\u00bb\u00bf)?+\\s*+\\{\\s*+\"messages\"\\s*+:\\s*+\\[.*+", Pattern.DOTALL);

    private static final int LONGEST_BEGINNING_BYTES = 1 << 10; // of a batch, with white space
    private static final int MAX_MESSAGES = 10_000;

    private final AtomicInteger keylessPuts = new AtomicInteger();

    List<Route> routes() {
        Route toTopic = Route.of("POST", TO_TOPIC, Route.Body.MESSAGES, request -> put(request, -1))
                .withLines(request -> lines(request, -1))
                .named("put", "Put messages where their keys belong, or all to the next partition");
        Route toPartition = Route.of(
                        "POST", TO_PARTITION, Route.Body.MESSAGES, request -> put(request, request.partition(1)))
                .withLines(request -> lines(request, request.partition(1)))
                .named("putToPartition", "Put messages to a partition");
        return List.of(PutDescription.of(toTopic), PutDescription.of(toPartition));
    }

    private LinePuts lines(RestRequest request, int partition) {
        if (request.headers().contains(IdempotencyKey.HEADER)) {
            throw ProblemException.badRequest("a stream of lines takes no " + IdempotencyKey.HEADER);
        }
        String topic = request.variable(0);
        return new LinePuts(request, topic, partition, places(request, Optional.empty()));
    }

    /** Puts into a partition; -1: into the one that each message belongs to. */
    private CompletionStage<RestAnswer> put(RestRequest request, int partition) {
        String mediaType =
                request.header("Content-Type", "").split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (mediaType.equals(FORM) && looksLikeJson(request.body())) {
            throw ProblemException.refused(415, "unsupported-media-type", JSON_IN_A_FORM);
        }
        if ((mediaType.isEmpty() || mediaType.startsWith(TEXT)) && looksLikeABatch(request.body())) {
            throw ProblemException.refused(415, "unsupported-media-type", BATCH_OF_NO_TYPE);
        }
        return mediaType.equals(RestAnswer.JSON) ? putBatch(request, partition) : putRaw(request, partition);
    }

    /** No form begins so: its braces and brackets are percent-encoded. */
    private static boolean looksLikeJson(ByteBuffer body) {
        for (int i = body.position(); i < body.limit(); i++) {
            byte each = body.get(i);
            if (each == '{' || each == '[') {
                return true;
            }
            if (!Character.isWhitespace(each)) {
                return false;
            }
        }
        return false;
    }

    /**
     * Returns whether it begins as a batch does, whose only field is its messages. Programs that send one without its
     * content type would store the batch as one message, and answer with success.
     */
    private static boolean looksLikeABatch(ByteBuffer body) {
        ByteBuffer beginning = body.slice(body.position(), Math.min(body.remaining(), LONGEST_BEGINNING_BYTES));
        return BATCH.matcher(StandardCharsets.ISO_8859_1.decode(beginning)).matches();
    }

    private CompletionStage<RestAnswer> putRaw(RestRequest request, int partition) {
        if (!request.body().hasRemaining() && !hasBody(request)) {
            throw ProblemException.badRequest("no body (one of no bytes has Content-Length: 0)");
        }
        Optional<IdempotencyKey> key = IdempotencyKey.of(request);
        Message message = MessageHeaders.read(request.headers(), request.nowMillis());
        message.setMessageType(MessageType.BINARY);
        String topic = request.variable(0);
        int chosen = partition >= 0 ? partition : places(request, key).of(message);
        MessageBlock block = RawMessage.around(request.body(), message);
        return put(request, new PartitionName(topic, chosen), block, key)
                .thenApply(stored -> RestAnswer.json(201, partitionAndOffset(chosen, stored.firstOffset()))
                        .with(
                                "Location",
                                "/v1/topics/" + topic + "/partitions/" + chosen + "/messages/" + stored.firstOffset())
                        .withDelivery(stored.delivery()));
    }

    /**
     * Returns whether a request says that it has a body, be it of no bytes: one that was forgotten is not a message.
     */
    private static boolean hasBody(RestRequest request) {
        return request.headers().contains("Content-Length") || request.headers().contains("Transfer-Encoding");
    }

    private PutPlaces places(RestRequest request, Optional<IdempotencyKey> key) {
        return new PutPlaces(
                request.operations().messages().placement(request.context(), request.variable(0)), key, keylessPuts);
    }

    private static ObjectNode partitionAndOffset(int partition, long offset) {
        return JsonNodeFactory.instance.objectNode().put("partition", partition).put("offset", offset);
    }

    private CompletionStage<RestAnswer> putBatch(RestRequest request, int partition) {
        Optional<IdempotencyKey> key = IdempotencyKey.of(request);
        List<Message> messages = messages(request);
        String topic = request.variable(0);
        Map<Integer, List<Integer>> byPartition = new TreeMap<>();
        if (partition >= 0) {
            byPartition.put(partition, indexes(messages.size()));
        } else {
            byPartition.putAll(spread(messages, places(request, key)));
        }
        List<PartitionPut> parts = new ArrayList<>();
        byPartition.forEach((number, indexes) -> {
            List<Message> chosen = indexes.stream().map(messages::get).toList();
            PartitionName name = new PartitionName(topic, number);
            parts.add(new PartitionPut(number, indexes, stored(request, name, chosen, key)));
        });
        return PartitionPut.all(parts).thenApply(done -> answer(messages.size(), parts));
    }

    private static List<Message> messages(RestRequest request) {
        JsonObject json = Json.readPut(request.body());
        List<JsonObject> given = json.objects("messages", MAX_MESSAGES);
        json.end();
        if (given.isEmpty()) {
            throw json.wrong("messages", "1.." + MAX_MESSAGES + " messages");
        }
        long now = request.nowMillis();
        return given.stream().map(each -> MessageJson.read(each, now)).toList();
    }

    private static List<Integer> indexes(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static Map<Integer, List<Integer>> spread(List<Message> messages, PutPlaces places) {
        Map<Integer, List<Integer>> byPartition = new TreeMap<>();
        for (int i = 0; i < messages.size(); i++) {
            byPartition
                    .computeIfAbsent(places.of(messages.get(i)), each -> new ArrayList<>())
                    .add(i);
        }
        return byPartition;
    }

    private static CompletableFuture<StoredPut> stored(
            RestRequest request, PartitionName partition, List<Message> messages, Optional<IdempotencyKey> key) {
        MessageBlock block = MessageBlocks.write(messages, MessageCompressionType.NONE, request.nowMillis());
        return put(request, partition, block, key).toCompletableFuture();
    }

    private static CompletionStage<StoredPut> put(
            RestRequest request, PartitionName partition, MessageBlock block, Optional<IdempotencyKey> key) {
        return key.isPresent()
                ? request.operations()
                        .messages()
                        .putOnce(
                                request.context(),
                                partition,
                                block,
                                key.get().value(),
                                key.get().digest())
                : request.operations().messages().put(request.context(), partition, block);
    }

    /** One problem if nothing was stored; each message's own result if some were. */
    private static RestAnswer answer(int count, List<PartitionPut> parts) {
        boolean whole = parts.stream().allMatch(PartitionPut::isStored);
        if (!whole && parts.size() == 1) {
            throw parts.get(0).failure();
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode all = json.putArray("messages");
        for (ObjectNode result : PartitionPut.results(count, parts)) {
            all.add(result);
        }
        return RestAnswer.json(whole ? 200 : 207, json)
                .withDelivery(written -> parts.stream()
                        .filter(PartitionPut::isStored)
                        .forEach(part -> part.stored().delivery().ended(written)));
    }
}
