// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.records.OverviewRecords;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.service.admin.Overview;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.history.History;
import org.talos.server.service.history.HistoryOperations;

/** How the server that answers is, and figures over time. Thread-safe. */
public final class OverviewResources {
    private static final String FIGURES = "figures";
    private static final String OVERVIEW = "/v1/overview";
    private static final String TOPIC = "/v1/topics/{topic}";
    private static final double MILLIS = 1e3;

    /** Decimals that are shown: more would be chance. */
    private static final double DECIMALS = 1e4;

    public List<Route> routes() {
        return Stream.of(serverRoutes(), watchedRoutes()).flatMap(List::stream).toList();
    }

    private List<Route> serverRoutes() {
        return List.of(
                Route.of("GET", OVERVIEW, Route.Body.NONE, this::show)
                        .named(
                                "overview",
                                "How the server is that answers; all but version, time and readiness for "
                                        + "administrators")
                        .answers(200, "As it is now.", OverviewRecords.Overview.class),
                Route.of("GET", OVERVIEW + "/history", Route.Body.NONE, this::ofServer)
                        .named(
                                "overviewHistory",
                                "Figures of the last hour of the server that answers; for administrators")
                        .query(
                                FIGURES,
                                "Names, separated by commas; all if missing: putsPerSecond, getsPerSecond, "
                                        + "putMessagesPerSecond, getMessagesPerSecond, putBytesPerSecond, "
                                        + "getBytesPerSecond, putMillisP50, putMillisP99, putMillisP999, "
                                        + "getMillisP50, getMillisP99, getMillisP999, errorsPerSecond, "
                                        + "refusedPerSecond, heapBytes, cpu, storedBytes, lag.",
                                ValueType.text().pattern("^[A-Za-z0-9,]{1,1000}$"))
                        .answers(200, "A point every stepSeconds, oldest first.", OverviewRecords.History.class));
    }

    private List<Route> watchedRoutes() {
        return List.of(
                Route.of("GET", TOPIC + "/history", Route.Body.NONE, this::ofTopic)
                        .named(
                                "topicHistory",
                                "Figures of a topic on all servers, kept from the first time that somebody "
                                        + "asks for them")
                        .described(
                                "Kept for an hour after the last request for them, for a bounded number of "
                                        + "topics; for users who may describe the topic.")
                        .query(
                                FIGURES,
                                "Names, separated by commas; all if missing: putsPerSecond, messages, bytes.",
                                ValueType.text().pattern("^[A-Za-z0-9,]{1,1000}$"))
                        .answers(
                                200,
                                "A point every stepSeconds, oldest first; null where there is none yet.",
                                OverviewRecords.History.class),
                Route.of("GET", TOPIC + "/groups/{group}/history", Route.Body.NONE, this::ofGroup)
                        .named(
                                "groupHistory",
                                "A group's lag over time, kept from the first time that somebody asks for it")
                        .described(
                                "Kept for an hour after the last request for it, for a bounded number of "
                                        + "groups; for users who may see the group.")
                        .query(
                                FIGURES,
                                "Names, separated by commas; all if missing: lag, committedPerSecond.",
                                ValueType.text().pattern("^[A-Za-z0-9,]{1,1000}$"))
                        .answers(
                                200,
                                "A point every stepSeconds, oldest first; null where there is none yet.",
                                OverviewRecords.History.class));
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        return request.operations()
                .admin()
                .overview()
                .show(request.context())
                .thenApply(overview -> RestAnswer.json(200, json(overview)));
    }

    private static ObjectNode json(Overview overview) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("version", overview.version());
        json.put("startedAt", Instant.ofEpochMilli(overview.startedMillis()).toString());
        json.put("uptimeSeconds", overview.uptime().toSeconds());
        json.put("ready", overview.ready());
        overview.details().ifPresent(details -> write(details, json));
        return json;
    }

    private static void write(Overview.Details details, ObjectNode json) {
        details.server().ifPresent(server -> json.put("server", server));
        ArrayNode checks = json.putArray("checks");
        details.checks().forEach((name, reason) -> {
            ObjectNode check = checks.addObject().put("name", name).put("ok", reason.isEmpty());
            reason.ifPresent(text -> check.put("reason", text));
        });
        ArrayNode warnings = json.putArray("warnings");
        details.warnings()
                .forEach((name, text) -> warnings.addObject().put("name", name).put("text", text));
        ObjectNode partitions = json.putObject("partitions");
        details.partitions().forEach(partitions::put);
        ObjectNode storage = json.putObject("storage");
        details.storedBytes().ifPresent(bytes -> storage.put("usedBytes", bytes));
        details.freeBytes().ifPresent(bytes -> storage.put("freeBytes", bytes));
        ArrayNode events = json.putArray("events");
        details.events()
                .forEach(event -> events.addObject()
                        .put("at", Instant.ofEpochMilli(event.atMillis()).toString())
                        .put("text", event.text()));
        ArrayNode capacity = json.putArray("capacity");
        details.capacity().forEach(each -> write(each, capacity.addObject()));
        json.put("processors", details.processors());
        json.put("utilisation", OperationMetrics.utilisation());
    }

    private static void write(OperationMetrics.OfOperation operation, ObjectNode json) {
        json.put("operation", operation.operation()).put("requests", operation.requests());
        if (operation.requests() > 0) {
            json.put("meanMillis", shown(operation.responseSeconds() * MILLIS));
        }
        if (operation.cpuSeconds() > 0) {
            json.put("cpuMillis", shown(operation.cpuSeconds() * MILLIS));
            json.put("waitMillis", shown(operation.waitSeconds() * MILLIS));
            json.put("bestThreads", shown(operation.bestThreads()));
            json.put("mostPerSecond", shown(operation.mostPerSecond()));
        }
    }

    private static double shown(double number) {
        return Math.round(number * DECIMALS) / DECIMALS;
    }

    private CompletionStage<RestAnswer> ofServer(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfServer());
        return request.operations()
                .history()
                .ofServer(request.context(), figures)
                .thenApply(history -> RestAnswer.json(200, json(history)));
    }

    private CompletionStage<RestAnswer> ofTopic(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfTopic());
        return request.operations()
                .history()
                .ofTopic(request.context(), request.variable(0), figures)
                .thenApply(history -> RestAnswer.json(200, json(history)));
    }

    private CompletionStage<RestAnswer> ofGroup(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfGroup());
        GroupName group = new GroupName(request.variable(0), request.variable(1));
        return request.operations()
                .history()
                .ofGroup(request.context(), group, figures)
                .thenApply(history -> RestAnswer.json(200, json(history)));
    }

    /** All that there are if none is named. */
    private static List<String> figures(RestRequest request, List<String> all) {
        List<String> named = request.query()
                .text(FIGURES)
                .map(text -> Arrays.stream(text.split(",", -1)).distinct().toList())
                .orElse(all);
        List<String> unknown = new ArrayList<>(named);
        unknown.removeAll(all);
        if (!unknown.isEmpty()) {
            throw ProblemException.badRequest(
                    "parameter figures (expected: one or more of " + String.join(",", all) + ")");
        }
        return named;
    }

    private static ObjectNode json(History history) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("stepSeconds", history.step().toSeconds());
        json.put("end", Instant.ofEpochMilli(history.endMillis()).toString());
        ObjectNode figures = json.putObject("figures");
        history.figures().forEach((name, points) -> {
            ArrayNode numbers = figures.putArray(name);
            for (double point : points) {
                write(point, numbers);
            }
        });
        return json;
    }

    private static void write(double point, ArrayNode numbers) {
        if (Double.isNaN(point)) {
            numbers.addNull();
        } else if (point == Math.rint(point)) {
            numbers.add((long) point);
        } else {
            numbers.add(shown(point));
        }
    }
}
