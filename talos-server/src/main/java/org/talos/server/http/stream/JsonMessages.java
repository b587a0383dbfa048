// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.MessageJson;

/** Writes the server's messages as texts of JSON, as docs/formats/stream.md has them. Immutable. */
final class JsonMessages implements StreamFormat {
    static final JsonMessages JSON = new JsonMessages();

    private JsonMessages() {}

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public ByteBuffer opened(StreamTerms terms) {
        return text(message("opened")
                .put("window", terms.window())
                .put("largestPut", terms.largestPut())
                .put("partitions", terms.partitions()));
    }

    @Override
    public ByteBuffer stored(List<InFlightPut> puts) {
        ObjectNode json = message("stored");
        ArrayNode array = json.putArray("puts");
        for (InFlightPut each : puts) {
            array.addObject()
                    .put("partition", each.partition())
                    .put("number", each.number())
                    .put("offset", each.firstOffset());
        }
        return text(json);
    }

    @Override
    public ByteBuffer refused(InFlightPut put, Problem problem) {
        ObjectNode json = message("refused").put("partition", put.partition()).put("number", put.number());
        return text(json.set("problem", problem.toJson(null)));
    }

    @Override
    public ByteBuffer credit(int bytes) {
        return text(message("credit").put("bytes", bytes));
    }

    @Override
    public ByteBuffer ended(int partition, Problem problem) {
        return text(message("ended").put("partition", partition).set("problem", problem.toJson(null)));
    }

    @Override
    public ByteBuffer move(int afterMillis, boolean serves) {
        return text(message("move").put("serves", serves).put("milliseconds", afterMillis));
    }

    @Override
    public ByteBuffer joined(String member, long leaseMillis) {
        return text(message("joined").put("member", member).put("lease", leaseMillis));
    }

    @Override
    public ByteBuffer assigned(int partition, long offset, long missed) {
        return text(message("assigned")
                .put("partition", partition)
                .put("offset", offset)
                .put("missed", missed));
    }

    @Override
    public ByteBuffer revoking(int partition, long millis) {
        return text(message("revoking").put("partition", partition).put("milliseconds", millis));
    }

    @Override
    public ByteBuffer revoked(int partition) {
        return text(message("revoked").put("partition", partition));
    }

    @Override
    public ByteBuffer committed(int partition, long offset) {
        return text(message("committed").put("partition", partition).put("offset", offset));
    }

    @Override
    public ByteBuffer commitRefused(int partition, long offset, Problem problem) {
        ObjectNode json = message("commitRefused").put("partition", partition).put("offset", offset);
        return text(json.set("problem", problem.toJson(null)));
    }

    @Override
    public ByteBuffer left(@Nullable Problem problem) {
        ObjectNode json = message("left");
        if (problem != null) {
            json.set("problem", problem.toJson(null));
        }
        return text(json);
    }

    /**
     * Returns one message of a partition.
     *
     * @param end one past the newest message
     */
    static Body message(int partition, long end, MessageJson.Prepared each) {
        JsonFields fields = new JsonFields()
                .text("type", "message")
                .number("partition", partition)
                .number("end", end);
        MessageJson.addTo(fields, each);
        return fields.end();
    }

    private static ObjectNode message(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ByteBuffer text(ObjectNode json) {
        return ByteBuffer.wrap(Json.write(json));
    }
}
