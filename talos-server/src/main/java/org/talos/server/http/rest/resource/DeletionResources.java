// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.TopicRecords.Emptied;
import org.talos.server.http.rest.records.TopicRecords.EmptiedPartition;
import org.talos.server.http.rest.records.TopicRecords.Emptying;
import org.talos.server.service.message.MessageDeletion;
import org.talos.server.service.message.MessageDeletion.Deleted;
import org.talos.server.service.message.MessageDeletion.Place;

/** Deletes the oldest messages of a topic, or all of them. Thread-safe. */
final class DeletionResources {
    private static final String PREVIEW = "preview";

    List<Route> routes() {
        return List.of(Route.of("POST", "/v1/topics/{topic}/empty", Route.Body.SMALL, this::empty)
                .named("emptyTopic", "Delete the oldest messages or all, or say what would be deleted")
                .query(
                        PREVIEW,
                        "Only say what would be deleted.",
                        ValueType.flag().usual(false))
                .takes(Emptying.class)
                .answers(200, "What is deleted, or would be.", Emptied.class)
                .fails(416));
    }

    private CompletionStage<RestAnswer> empty(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        boolean byField = body.flag(PREVIEW); // asked for in any case, so that it is known
        boolean preview = request.query().flag(PREVIEW) || byField;
        MessageDeletion deletion = new MessageDeletion(before(body, request), body.integers("partitions"), preview);
        body.end();
        return request.operations()
                .messages()
                .delete(request.context(), request.variable(0), deletion)
                .thenApply(deleted -> RestAnswer.json(200, shown(preview, deleted)));
    }

    private static Place before(JsonObject body, RestRequest request) {
        OptionalLong offset = body.number("offset");
        String before = body.text("before").orElse("");
        if (offset.isPresent() != before.isEmpty()) {
            throw body.wrong("before", "latest or a time; or an offset in its place");
        }
        if (offset.isPresent() && offset.getAsLong() < 0) {
            throw body.wrong("offset", "0 or more");
        }
        if (offset.isPresent()) {
            return new Place.Offset(offset.getAsLong());
        }
        return before.equals("latest") ? new Place.Latest() : new Place.Time(Times.parse(before, request));
    }

    private static Emptied shown(boolean preview, List<Deleted> deleted) {
        return new Emptied(
                preview,
                deleted.stream()
                        .map(each -> new EmptiedPartition(
                                each.partition(), each.from(), each.to(), each.messages(), each.bytes()))
                        .toList());
    }
}
