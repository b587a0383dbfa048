// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.talos.check.history.Entry;
import org.talos.client.admin.TopicDescription;

/**
 * A client by REST: a plain HTTP client that sends each request once; puts have an Idempotency-Key. Confined: one
 * process.
 */
final class RestCaller implements Caller {
    private static final int WAIT_MILLIS = 200;
    private static final int MOST_MESSAGES = 500;

    private final RestCalls calls;
    private final String topic;
    private final String key;
    private final List<String> keys; // by partition; none if puts name the partition
    private final String name = "rest-" + UUID.randomUUID() + "#";
    private long puts;

    /**
     * A client whose puts name keys.
     *
     * @param key what partitions are called by in the history, without their number
     */
    RestCaller(RestCalls calls, TopicDescription topic, String key) {
        this(calls, topic.name(), key, keys(topic));
    }

    private RestCaller(RestCalls calls, String topic, String key, List<String> keys) {
        this.calls = calls;
        this.topic = topic;
        this.key = key;
        this.keys = keys;
    }

    /** Returns a client whose puts name the partition, as the partition of a key changes when the topic grows. */
    static RestCaller byPartition(RestCalls calls, String topic, String key) {
        return new RestCaller(calls, topic, key, List.of());
    }

    /** Returns a message key for each partition: REST routes a batch by its keys. */
    private static List<String> keys(TopicDescription topic) {
        List<String> keys = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            int wanted = partition;
            keys.add(IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> "key-" + i * 7919L)
                    .filter(each -> topic.partition(each) == wanted)
                    .findFirst()
                    .orElseThrow());
        }
        return keys;
    }

    @Override
    public String means() {
        return "rest";
    }

    @Override
    public Put prepare(int partition, List<String> values) {
        String identity = name + ++puts;
        ObjectNode batch = JsonNodeFactory.instance.objectNode();
        ArrayNode messages = batch.putArray("messages");
        for (String value : values) {
            ObjectNode message = messages.addObject().put("value", Values.body(value));
            if (!keys.isEmpty()) {
                message.put("key", keys.get(partition));
            }
        }
        String path = "/topics/" + topic + (keys.isEmpty() ? "/partitions/" + partition : "") + "/messages";
        return new Put() {
            @Override
            public String identity() {
                return identity;
            }

            @Override
            public Answer send() {
                RestCalls.Reply reply = calls.post(path, batch, Map.of("Idempotency-Key", identity));
                return new Answer(reply.outcome(), stored(partition, values, reply.body()), reply.note());
            }
        };
    }

    private List<Entry> stored(int partition, List<String> values, JsonNode answer) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            JsonNode place = answer.path("messages").path(i);
            entries.add(new Entry(
                    key + place.path("partition").asInt(partition),
                    place.path("offset").asLong(Entry.UNKNOWN),
                    values.get(i)));
        }
        return entries;
    }

    @Override
    public Answer read(int partition, long from) {
        RestCalls.Reply reply = calls.get("/topics/" + topic + "/partitions/" + partition + "/messages?as=text&from="
                + from + "&maxMessages=" + MOST_MESSAGES + "&wait=" + WAIT_MILLIS);
        return new Answer(reply.outcome(), reply.isOk() ? read(reply.body(), key, partition) : List.of(), reply.note());
    }

    /** The messages of an answer, each with the partition it names, or else the requested one. */
    static List<Entry> read(JsonNode answer, String key, int partition) {
        List<Entry> entries = new ArrayList<>();
        for (JsonNode message : answer.path("messages")) {
            entries.add(new Entry(
                    key + message.path("partition").asInt(partition),
                    message.path("offset").asLong(Entry.UNKNOWN),
                    Values.value(message.path("value").asText())));
        }
        return entries;
    }
}
