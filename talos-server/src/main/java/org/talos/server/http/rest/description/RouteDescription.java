// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What a route states of itself for the description, beside its method and path. Immutable.
 *
 * @param id of the operation, from which generated clients make the name of a method
 * @param summary in a line
 * @param text more of it; none if empty
 * @param parameters of the query and of the head, in the order in which they are shown
 * @param answers all that are not failures, and failures that are described otherwise than those of other routes
 * @param failures statuses of failures, in addition to those of every such route
 */
public record RouteDescription(
        String id,
        String summary,
        String text,
        List<Parameter> parameters,
        Optional<RequestContent> body,
        List<Answer> answers,
        SortedMap<Integer, String> failures) {
    private static final String RESPONSES = "#/components/responses/";

    public RouteDescription {
        parameters = List.copyOf(parameters);
        answers = List.copyOf(answers);
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }

    /** Returns the description of a route that has stated nothing yet. */
    public static RouteDescription empty() {
        return new RouteDescription("", "", "", List.of(), Optional.empty(), List.of(), new TreeMap<>());
    }

    public RouteDescription named(String name, String line) {
        return new RouteDescription(name, line, text, parameters, body, answers, failures);
    }

    public RouteDescription described(String more) {
        return new RouteDescription(id, summary, more, parameters, body, answers, failures);
    }

    public RouteDescription with(Parameter parameter) {
        List<Parameter> more = new ArrayList<>(parameters);
        more.add(parameter);
        return new RouteDescription(id, summary, text, more, body, answers, failures);
    }

    public RouteDescription with(RequestContent content) {
        return new RouteDescription(id, summary, text, parameters, Optional.of(content), answers, failures);
    }

    public RouteDescription with(Answer answer) {
        List<Answer> more = new ArrayList<>(answers);
        more.add(answer);
        return new RouteDescription(id, summary, text, parameters, body, more, failures);
    }

    /**
     * Returns this description with a failure.
     *
     * @param response by which the description has it, under the responses that operations share
     */
    public RouteDescription withFailure(int status, String response) {
        SortedMap<Integer, String> more = new TreeMap<>(failures);
        more.put(status, response);
        return new RouteDescription(id, summary, text, parameters, body, answers, more);
    }

    /**
     * Describes the operation.
     *
     * @param schemas to which those of its records are added
     * @param common statuses of failures that every such route may answer
     */
    public ObjectNode describe(RecordSchemas schemas, SortedSet<Integer> common) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("operationId", id);
        json.put("summary", summary);
        if (!text.isEmpty()) {
            json.put("description", text);
        }
        if (!parameters.isEmpty()) {
            ArrayNode all = json.putArray("parameters");
            parameters.forEach(each -> all.add(each.describe()));
        }
        body.ifPresent(content -> json.set("requestBody", content.describe(schemas)));
        json.set("responses", responses(schemas, common));
        return json;
    }

    private ObjectNode responses(RecordSchemas schemas, SortedSet<Integer> common) {
        SortedMap<Integer, ObjectNode> all = new TreeMap<>();
        common.forEach(status -> all.put(status, shared(nameOf(status))));
        failures.forEach((status, response) -> all.put(status, shared(response)));
        answers.forEach(answer -> all.put(answer.status(), answer.describe(schemas)));
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<Integer, ObjectNode> each : all.entrySet()) {
            json.set(each.getKey().toString(), each.getValue());
        }
        return json;
    }

    /** Returns the name of the response that a failure usually has. */
    public static String nameOf(int status) {
        return "P" + status;
    }

    private static ObjectNode shared(String response) {
        return JsonNodeFactory.instance.objectNode().put("$ref", RESPONSES + response);
    }
}
