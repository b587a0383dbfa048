// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.resource.Routes;

/** The OpenAPI description as it is made of the routes, to be compared with what the server does. Immutable. */
final class Description {
    static final JsonNode ROOT = read();

    private Description() {}

    private static JsonNode read() {
        try {
            return RestFixture.JSON.readTree(Json.write(OpenApi.of(Routes.all())));
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Each as {@code METHOD path ?parameters}. */
    static Set<String> routes() {
        Set<String> routes = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path : ROOT.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                if (!method.getKey().equals("parameters")) {
                    Set<String> query = new TreeSet<>();
                    method.getValue().path("parameters").forEach(parameter -> {
                        if (parameter.get("in").textValue().equals("query")) {
                            query.add(parameter.get("name").textValue());
                        }
                    });
                    routes.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey() + " " + query);
                }
            }
        }
        return routes;
    }

    /** Returns whether an answer to a request is described; true also for a path that is not. */
    static boolean describes(String method, String path, int status) {
        JsonNode answers = answers(method, path);
        return answers.isMissingNode() || answers.has(Integer.toString(status));
    }

    /** Returns the schema of an answer that is JSON and no problem; a missing node if it has none. */
    static JsonNode schema(String method, String path, int status) {
        return answers(method, path)
                .path(Integer.toString(status))
                .path("content")
                .path("application/json")
                .path("schema");
    }

    private static JsonNode answers(String method, String path) {
        List<String> segments = List.of(path.split("/", -1));
        for (Map.Entry<String, JsonNode> each : ROOT.get("paths").properties()) {
            JsonNode operation = each.getValue().get(method.toLowerCase(Locale.ROOT));
            if (operation != null && matches(List.of(each.getKey().split("/", -1)), segments)) {
                return operation.get("responses");
            }
        }
        return MissingNode.getInstance();
    }

    private static boolean matches(List<String> template, List<String> path) {
        if (template.size() != path.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!template.get(i).startsWith("{") && !template.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }
}
