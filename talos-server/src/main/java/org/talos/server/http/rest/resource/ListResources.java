// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.Query;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.records.GroupRecords.GroupPage;
import org.talos.server.http.rest.records.GroupRecords.ListedGroup;
import org.talos.server.http.rest.records.TopicRecords.Contents;
import org.talos.server.http.rest.records.TopicRecords.Listed;
import org.talos.server.http.rest.records.TopicRecords.TopicPage;
import org.talos.server.service.group.GroupList;
import org.talos.server.service.group.GroupSort;
import org.talos.server.service.topic.TopicFigures;
import org.talos.server.service.topic.TopicList;
import org.talos.server.service.topic.TopicSort;

/** Lists of topics, and of the groups of all topics. Thread-safe. */
final class ListResources {
    private static final String TOPIC = "topic";
    private static final double TENTH = 10.0;

    List<Route> routes() {
        return List.of(topics(), groups());
    }

    private Route topics() {
        Route route = Route.of("GET", "/v1/topics", Route.Body.NONE, ListResources::listTopics)
                .named("listTopics", "Search and sort the topics that the caller owns or may use");
        return ListParameters.on(route, "name and owner", "name", "owner", "messages", "size", "rate")
                .answers(200, "A page; next is there if another follows, and is its after.", TopicPage.class);
    }

    private Route groups() {
        Route route = Route.of("GET", "/v1/groups", Route.Body.NONE, ListResources::listGroups)
                .named("searchGroups", "Search and sort the groups of the topics that the caller may describe")
                .query(TOPIC, "Only groups of this topic.", ValueType.text());
        return ListParameters.on(route, "group and topic", "name", "topic", "lag")
                .answers(200, "A page; next is there if another follows, and is its after.", GroupPage.class)
                .fails(404);
    }

    private static CompletionStage<RestAnswer> listTopics(RestRequest request) {
        TopicSort sort = topicSort(request.query());
        return request.operations()
                .topics()
                .find(request.context(), sort, ListParameters.page(request.query(), sort.isByFigure()))
                .thenApply(found -> RestAnswer.json(200, shown(found)));
    }

    private static TopicSort topicSort(Query query) {
        return switch (ListParameters.sort(query)) {
            case "name" -> TopicSort.NAME;
            case "owner" -> TopicSort.OWNER;
            case "messages" -> TopicSort.MESSAGES;
            case "size" -> TopicSort.SIZE;
            case "rate" -> TopicSort.RATE;
            default -> throw ListParameters.unknownSort("name, owner, messages, size or rate");
        };
    }

    private static TopicPage shown(TopicList found) {
        return new TopicPage(
                found.page().rows().stream().map(ListResources::shown).toList(),
                found.page().next(),
                found.page().total(),
                found.age().stream().mapToLong(Duration::toMillis).findAny());
    }

    private static Listed shown(TopicList.Row row) {
        return new Listed(
                row.name(),
                row.owner(),
                row.resourceName(),
                row.contents().map(each -> contents(each.partitions(), each.retentionSeconds(), each.figures())));
    }

    private static Contents contents(int partitions, int retentionSeconds, TopicFigures.Figures figures) {
        OptionalDouble rate = figures.putsPerSecond();
        return new Contents(
                partitions,
                retentionSeconds,
                figures.messages(),
                figures.bytes(),
                rate.isPresent()
                        ? OptionalDouble.of(Math.round(rate.getAsDouble() * TENTH) / TENTH)
                        : OptionalDouble.empty());
    }

    private static CompletionStage<RestAnswer> listGroups(RestRequest request) {
        GroupSort sort = groupSort(request.query());
        return request.operations()
                .groups()
                .find(
                        request.context(),
                        request.query().text(TOPIC),
                        sort,
                        ListParameters.page(request.query(), sort.isByFigure()))
                .thenApply(found -> RestAnswer.json(200, shown(found)));
    }

    private static GroupSort groupSort(Query query) {
        return switch (ListParameters.sort(query)) {
            case "name" -> GroupSort.NAME;
            case "topic" -> GroupSort.TOPIC;
            case "lag" -> GroupSort.LAG;
            default -> throw ListParameters.unknownSort("name, topic or lag");
        };
    }

    private static GroupPage shown(GroupList found) {
        return new GroupPage(
                found.page().rows().stream()
                        .map(row -> new ListedGroup(row.topic(), row.group(), row.lag()))
                        .toList(),
                found.page().next(),
                found.page().total(),
                found.isComplete(),
                found.age().toMillis());
    }
}
