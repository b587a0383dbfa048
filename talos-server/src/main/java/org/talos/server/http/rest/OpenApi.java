// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.talos.server.http.rest.description.PathVariables;
import org.talos.server.http.rest.description.RecordSchemas;
import org.talos.server.http.rest.description.Subject;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.records.ProblemRecords;

/**
 * Makes the description of the REST interface, a document of OpenAPI 3.1, from its routes. What belongs to no route is
 * in a file beside: the title, the ways to authenticate, points of time, and the responses that operations share.
 *
 * <p>Confined: the maker of one document.
 */
public final class OpenApi {
    private static final String HEAD = "openapi-head.json";

    /** Failures of every route. Some come from the front end, before a resource sees the request. */
    private static final SortedSet<Integer> EVERYWHERE =
            Collections.unmodifiableSortedSet(new TreeSet<>(List.of(400, 401, 412, 413, 415, 429, 500, 503)));

    private static final int NO_PERMISSION = 403;
    private static final int NOTHING_THERE = 404;
    private static final int TIME_IS_UP = 504;

    private final RecordSchemas schemas = new RecordSchemas();

    private OpenApi() {}

    /** Returns the document. */
    public static ObjectNode of(List<Route> routes) {
        return new OpenApi().document(routes);
    }

    private ObjectNode document(List<Route> routes) {
        ObjectNode document = head();
        ObjectNode components = (ObjectNode) document.remove("components");
        Subject.addTo(document.putArray("tags"));
        ObjectNode paths = document.putObject("paths");
        for (Route route : routes) {
            String method = route.method().toLowerCase(Locale.ROOT);
            at(paths, route).set(method, operation(route));
        }
        schemas.of(ProblemRecords.Problem.class); // the responses in the file refer to them
        schemas.of(ProblemRecords.ReadProblem.class);
        ObjectNode named = (ObjectNode) components.get("schemas");
        schemas.named().forEach((name, schema) -> named.set(name, schema));
        document.set("components", components);
        return document;
    }

    private static ObjectNode head() {
        try (InputStream in = OpenApi.class.getResourceAsStream(HEAD)) {
            if (in == null) {
                throw new IllegalStateException(HEAD + " is not in the jar");
            }
            return Json.readFile(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the document's entry for the path of a route: its variables, and then an operation for each method. */
    private static ObjectNode at(ObjectNode paths, Route route) {
        if (paths.get(route.path()) instanceof ObjectNode known) {
            return known;
        }
        ObjectNode made = paths.putObject(route.path());
        List<String> variables =
                route.segments().stream().filter(Route::isVariable).toList();
        if (!variables.isEmpty()) {
            ArrayNode all = made.putArray("parameters");
            variables.forEach(each -> all.add(PathVariables.describe(each.substring(1, each.length() - 1))));
        }
        return made;
    }

    private ObjectNode operation(Route route) {
        ObjectNode operation = route.description().describe(schemas, failures(route));
        operation.putArray("tags").add(Subject.of(route.segments()).title());
        switch (route.sender()) {
            case KNOWN -> {} // as the document says of all
            case KNOWN_BY_TOKEN -> security(operation, "basic", "signature", "streamToken", "session");
            case KNOWN_IF_ANY ->
                security(operation, "basic", "signature", "session").addObject();
            case ANYBODY -> security(operation);
        }
        return operation;
    }

    private static ArrayNode security(ObjectNode operation, String... schemes) {
        ArrayNode all = operation.putArray("security");
        for (String each : schemes) {
            all.addObject().putArray(each);
        }
        return all;
    }

    /** Returns the statuses of failures that follow from a route's input and its senders. */
    static SortedSet<Integer> failures(Route route) {
        SortedSet<Integer> all = new TreeSet<>(EVERYWHERE);
        if (route.sender() != Route.Sender.ANYBODY) {
            all.add(NO_PERMISSION);
        }
        if (route.segments().stream().anyMatch(Route::isVariable)) {
            all.add(NOTHING_THERE);
        }
        if (route.body() != Route.Body.UPGRADE) {
            all.add(TIME_IS_UP);
        }
        return all;
    }
}
