// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.talos.common.error.Effect;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.common.name.Partitioner;
import org.talos.common.name.Placement;
import org.talos.common.name.Skew;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Answer;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.TopicRecords;
import org.talos.server.http.rest.records.TopicRecords.NewTopic;
import org.talos.server.http.rest.records.TopicRecords.Skews;
import org.talos.server.http.rest.records.TopicRecords.Topic;
import org.talos.server.http.rest.records.TopicRecords.TopicChange;
import org.talos.server.http.rest.records.TopicRecords.TopicCopy;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PartitionState;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;

/** Topics: create, show, change, copy, delete. Thread-safe. */
final class TopicResources {
    private static final String TOPICS = "/v1/topics";
    private static final String ONE = "/v1/topics/{topic}";

    List<Route> routes() {
        return Stream.concat(ownRoutes().stream(), copyRoutes().stream()).toList();
    }

    private List<Route> copyRoutes() {
        return List.of(
                Route.of("POST", ONE + "/copy", Route.Body.SMALL, this::copy)
                        .named("copyTopic", "Make a topic with the owner, settings, permissions, and quota of this one")
                        .takes(TopicCopy.class)
                        .answers(Answer.of(201, "The new topic serves.", Topic.class)
                                .header("Location", "", ValueType.text()))
                        .fails(409, 422),
                Route.of("POST", ONE + "/recreate", Route.Body.NONE, this::recreate)
                        .named(
                                "recreateTopic",
                                "Delete a topic with its messages and groups, and make it again with all else")
                        .answers(200, "The new topic serves.", Topic.class)
                        .fails(409, 422));
    }

    private List<Route> ownRoutes() {
        return List.of(
                Route.of("POST", TOPICS, Route.Body.SMALL, this::create)
                        .named("createTopic", "Make a topic")
                        .takes(NewTopic.class)
                        .answers(Answer.of(201, "The topic serves.", Topic.class)
                                .header("Location", "", ValueType.text()))
                        .fails(409, 422),
                Route.of("GET", ONE, Route.Body.NONE, this::show)
                        .named("showTopic", "Show a topic")
                        .answers(200, "The topic.", Topic.class),
                Route.of("PATCH", ONE, Route.Body.SMALL, this::change)
                        .named("changeTopic", "Change what is given, leave the rest")
                        .takes(TopicChange.class)
                        .answers(200, "The topic as it is now.", Topic.class)
                        .fails(409, 422),
                Route.of("DELETE", ONE, Route.Body.NONE, this::delete)
                        .named("deleteTopic", "Delete a topic and all its messages")
                        .answers(204, "It is gone.")
                        .fails(422));
    }

    private CompletionStage<RestAnswer> create(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        String name = body.requiredText("name");
        TopicAttribute attribute = attribute(body);
        if (!attribute.isSetPartitionNumber()) {
            throw body.wrong("partitions", "a whole number of at most 32 bits");
        }
        body.end();
        attribute.setAttributes(withPartitioner(attribute));
        return request.operations()
                .topics()
                .create(request.context(), name, attribute)
                .thenCompose(made -> created(request, made));
    }

    private CompletionStage<RestAnswer> created(RestRequest request, CreateTopicResponse made) {
        return describeChanged(request, made.getTopicInfo().getTopicName())
                .thenApply(described -> RestAnswer.json(201, shown(described))
                        .with(
                                "Location",
                                TOPICS + "/" + described.getTopicInfo().getTopicName()));
    }

    private CompletionStage<RestAnswer> copy(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        String name = body.requiredText("name");
        body.end();
        return describe(request, request.variable(0))
                .thenCompose(described -> request.operations()
                        .topics()
                        .copy(request.context(), described.getTopicInfo().getTopicTalosResourceName(), name))
                .thenCompose(made -> created(request, made));
    }

    private CompletionStage<RestAnswer> recreate(RestRequest request) {
        return describe(request, request.variable(0))
                .thenCompose(described -> request.operations()
                        .topics()
                        .recreate(request.context(), described.getTopicInfo().getTopicTalosResourceName()))
                .thenCompose(
                        made -> describeChanged(request, made.getTopicInfo().getTopicName()))
                .thenApply(described -> RestAnswer.json(200, shown(described)));
    }

    /** The attributes of a topic that is created over REST, where keys of any form must spread evenly. */
    private static Map<String, String> withPartitioner(TopicAttribute asked) {
        Map<String, String> all = new HashMap<>(attributes(asked));
        all.putIfAbsent(Partitioner.ATTRIBUTE, Partitioner.MURMUR2.toString());
        return all;
    }

    private static Map<String, String> attributes(TopicAttribute attribute) {
        return attribute.isSetAttributes() ? attribute.getAttributes() : Map.of();
    }

    private static TopicAttribute attribute(JsonObject body) {
        TopicAttribute attribute = new TopicAttribute();
        body.integer("partitions").ifPresent(attribute::setPartitionNumber);
        body.integer("retentionSeconds").ifPresent(attribute::setMessageRetentionSecs);
        Map<String, String> attributes = body.texts("attributes");
        if (!attributes.isEmpty()) {
            attribute.setAttributes(attributes);
        }
        return attribute;
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        return describe(request, request.variable(0)).thenApply(described -> RestAnswer.json(200, shown(described)));
    }

    private CompletionStage<DescribeTopicResponse> describe(RestRequest request, String name) {
        return request.operations().topics().describe(request.context(), name);
    }

    /** The topic that was just made or changed: that it cannot be shown does not undo it. */
    private CompletionStage<DescribeTopicResponse> describeChanged(RestRequest request, String name) {
        return describe(request, name).exceptionally(failure -> {
            Throwable cause = Exceptions.unwrap(failure);
            ErrorCode code = TalosException.of(cause).code();
            throw new TalosException(code, Effect.DONE, "it is done, but the topic cannot be shown", cause);
        });
    }

    private CompletionStage<RestAnswer> change(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        TopicAttribute attribute = attribute(body);
        body.end();
        return describe(request, request.variable(0))
                .thenCompose(described -> request.operations()
                        .topics()
                        .change(request.context(), described.getTopicInfo().getTopicTalosResourceName(), attribute))
                .thenCompose(changed -> describeChanged(request, request.variable(0)))
                .thenApply(described -> RestAnswer.json(200, shown(described)));
    }

    private CompletionStage<RestAnswer> delete(RestRequest request) {
        return describe(request, request.variable(0))
                .thenCompose(described -> request.operations()
                        .topics()
                        .delete(request.context(), described.getTopicInfo().getTopicTalosResourceName()))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private static Topic shown(DescribeTopicResponse topic) {
        TopicInfo info = topic.getTopicInfo();
        TopicAttribute attribute = topic.getTopicAttribute();
        List<PartitionState> states = topic.getTopicState().getPartitionStates();
        return new Topic(
                info.getTopicName(),
                info.getOwnerId(),
                info.getTopicTalosResourceName().getTopicTalosResourceName(),
                attribute.getPartitionNumber(),
                attribute.getMessageRetentionSecs(),
                Placement.of(attributes(attribute), attribute.getPartitionNumber())
                        .partitioner(),
                new TreeMap<>(attributes(attribute)),
                topic.getTopicState().getCreateTimestamp(),
                topic.getTopicState().getTotalMessageNumber(),
                states.stream().map(TopicResources::shown).toList(),
                skew(states));
    }

    private static TopicRecords.PartitionState shown(PartitionState state) {
        return new TopicRecords.PartitionState(
                state.getPartitionId(),
                state.getStartOffset(),
                state.getLastestOffset() + 1,
                state.getMessageNumber(),
                state.getMessageBytes());
    }

    /** How unevenly the partitions are filled; nothing of a topic without messages. */
    private static Optional<Skews> skew(List<PartitionState> states) {
        Optional<Skew> messages =
                Skew.of(states.stream().map(PartitionState::getMessageNumber).toList());
        Optional<Skew> bytes =
                Skew.of(states.stream().map(PartitionState::getMessageBytes).toList());
        return messages.isPresent() || bytes.isPresent()
                ? Optional.of(new Skews(messages.map(TopicResources::shown), bytes.map(TopicResources::shown)))
                : Optional.empty();
    }

    private static TopicRecords.Skew shown(Skew skew) {
        return new TopicRecords.Skew(skew.partition(), skew.share(), skew.mean());
    }
}
