// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.records.OverviewRecords;
import org.talos.server.http.rest.records.OverviewRecords.Capacity;
import org.talos.server.http.rest.records.OverviewRecords.Check;
import org.talos.server.http.rest.records.OverviewRecords.Details;
import org.talos.server.http.rest.records.OverviewRecords.Event;
import org.talos.server.http.rest.records.OverviewRecords.Setting;
import org.talos.server.http.rest.records.OverviewRecords.Settings;
import org.talos.server.http.rest.records.OverviewRecords.Storage;
import org.talos.server.http.rest.records.OverviewRecords.Warning;
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
                Route.of("GET", OVERVIEW + "/settings", Route.Body.NONE, this::settings)
                        .named("settings", "The settings of the server that answers; for administrators")
                        .answers(200, "All keys, in the order of the file.", Settings.class),
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
                        .described("Kept for an hour after the last request for them, for a bounded number of "
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
                        .described("Kept for an hour after the last request for it, for a bounded number of "
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
                .thenApply(overview -> RestAnswer.json(200, shown(overview)));
    }

    private CompletionStage<RestAnswer> settings(RestRequest request) {
        return request.operations()
                .admin()
                .overview()
                .settings(request.context())
                .thenApply(found -> RestAnswer.json(
                        200,
                        new Settings(
                                found.server(),
                                found.all().stream()
                                        .map(each ->
                                                new Setting(each.key(), each.value(), each.usual(), each.isChanged()))
                                        .toList())));
    }

    private static OverviewRecords.Overview shown(Overview overview) {
        return new OverviewRecords.Overview(
                overview.version(),
                Instant.ofEpochMilli(overview.startedMillis()),
                overview.uptime().toSeconds(),
                overview.ready(),
                overview.details().map(OverviewResources::shown));
    }

    private static Details shown(Overview.Details details) {
        List<Check> checks = new ArrayList<>();
        details.checks().forEach((name, reason) -> checks.add(new Check(name, reason.isEmpty(), reason)));
        List<Warning> warnings = new ArrayList<>();
        details.warnings().forEach((name, text) -> warnings.add(new Warning(name, text)));
        return new Details(
                details.server(),
                checks,
                warnings,
                details.partitions(),
                new Storage(details.storedBytes(), details.freeBytes()),
                details.events().stream()
                        .map(each -> new Event(Instant.ofEpochMilli(each.atMillis()), each.text()))
                        .toList(),
                details.capacity().stream().map(OverviewResources::shown).toList(),
                details.processors(),
                OperationMetrics.utilisation());
    }

    private static Capacity shown(OperationMetrics.OfOperation operation) {
        boolean isMeasured = operation.cpuSeconds() > 0;
        return new Capacity(
                operation.operation(),
                operation.requests(),
                where(operation.requests() > 0, operation.responseSeconds() * MILLIS),
                where(isMeasured, operation.cpuSeconds() * MILLIS),
                where(isMeasured, operation.waitSeconds() * MILLIS),
                where(isMeasured, operation.bestThreads()),
                where(isMeasured, operation.mostPerSecond()));
    }

    private static OptionalDouble where(boolean isKnown, double number) {
        return isKnown ? OptionalDouble.of(shown(number)) : OptionalDouble.empty();
    }

    private static double shown(double number) {
        return Math.round(number * DECIMALS) / DECIMALS;
    }

    private CompletionStage<RestAnswer> ofServer(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfServer());
        return request.operations()
                .history()
                .ofServer(request.context(), figures)
                .thenApply(history -> RestAnswer.json(200, shown(history)));
    }

    private CompletionStage<RestAnswer> ofTopic(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfTopic());
        return request.operations()
                .history()
                .ofTopic(request.context(), request.variable(0), figures)
                .thenApply(history -> RestAnswer.json(200, shown(history)));
    }

    private CompletionStage<RestAnswer> ofGroup(RestRequest request) {
        List<String> figures = figures(request, HistoryOperations.figuresOfGroup());
        GroupName group = new GroupName(request.variable(0), request.variable(1));
        return request.operations()
                .history()
                .ofGroup(request.context(), group, figures)
                .thenApply(history -> RestAnswer.json(200, shown(history)));
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

    private static OverviewRecords.History shown(History history) {
        SortedMap<String, List<Optional<Number>>> figures = new TreeMap<>();
        history.figures()
                .forEach((name, points) -> figures.put(
                        name,
                        Arrays.stream(points).mapToObj(OverviewResources::point).toList()));
        return new OverviewRecords.History(
                history.step().toSeconds(), Instant.ofEpochMilli(history.endMillis()), figures);
    }

    private static Optional<Number> point(double point) {
        if (Double.isNaN(point)) {
            return Optional.empty();
        }
        return point == Math.rint(point) ? Optional.of((long) point) : Optional.of(shown(point));
    }
}
