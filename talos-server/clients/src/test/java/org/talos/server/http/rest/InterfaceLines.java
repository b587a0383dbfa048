// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The description in lines without its texts: one for each operation, parameter, body, answer, and field. So a change
 * shows as lines that come and go. Confined: the maker of one list.
 */
final class InterfaceLines {
    private static final Set<String> EITHER = Set.of("allOf", "anyOf", "oneOf");

    private final List<String> lines = new ArrayList<>();

    private InterfaceLines() {}

    static List<String> of(JsonNode document) {
        InterfaceLines made = new InterfaceLines();
        sorted(document.get("paths")).forEach(made::path);
        sorted(document.get("components").get("responses"))
                .forEach((name, response) -> made.contents("response " + name, response.path("content")));
        sorted(document.get("components").get("schemas")).forEach(made::schema);
        return made.lines;
    }

    private static Map<String, JsonNode> sorted(JsonNode object) {
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(each -> fields.put(each.getKey(), each.getValue()));
        return fields;
    }

    private void path(String path, JsonNode item) {
        Map<String, JsonNode> operations = sorted(item);
        JsonNode variables = operations.remove("parameters");
        operations.forEach((method, operation) -> {
            String start = method.toUpperCase(Locale.ROOT) + " " + path;
            lines.add(start + " " + operation.get("operationId").textValue());
            if (operation.has("security")) {
                lines.add(start + " security " + operation.get("security"));
            }
            if (variables != null) {
                parameters(start, variables);
            }
            parameters(start, operation.path("parameters"));
            JsonNode body = operation.path("requestBody");
            contents(start + (body.path("required").booleanValue() ? " body" : " body?"), body.path("content"));
            answers(start, operation.get("responses"));
        });
    }

    private void parameters(String start, JsonNode parameters) {
        for (JsonNode each : parameters) {
            String name = each.get("in").textValue() + " " + each.get("name").textValue();
            schema(start + " " + name + (each.path("required").booleanValue() ? "" : "?"), each.get("schema"));
        }
    }

    private void answers(String start, JsonNode answers) {
        List<String> failures = new ArrayList<>();
        sorted(answers).forEach((status, answer) -> {
            if (answer.has("$ref")) {
                String name = answer.get("$ref").textValue();
                failures.add(name.substring(name.lastIndexOf('/') + 1));
            } else {
                lines.add(start + " " + status);
                sorted(answer.path("headers"))
                        .forEach((name, header) ->
                                schema(start + " " + status + " header " + name, header.get("schema")));
                contents(start + " " + status, answer.path("content"));
            }
        });
        lines.add(start + " fails " + String.join(" ", failures));
    }

    private void contents(String start, JsonNode contents) {
        sorted(contents).forEach((type, content) -> schema(start + " " + type, content.get("schema")));
    }

    /** Adds a line for a schema, and those of what it is made of. */
    private void schema(String start, JsonNode schema) {
        StringBuilder line = new StringBuilder(start);
        Map<String, JsonNode> parts = new TreeMap<>();
        sorted(schema).forEach((name, value) -> {
            boolean isStructure = name.equals("properties") || name.equals("items") || EITHER.contains(name);
            if (isStructure || (name.equals("additionalProperties") && value.isObject())) {
                parts.put(name, value);
            } else if (!name.equals("description") && !(name.equals("required") && schema.has("properties"))) {
                line.append(' ').append(name).append('=').append(value);
            }
        });
        lines.add(line.toString());
        parts.forEach((name, value) -> part(start, name, value, schema.path("required")));
    }

    private void part(String start, String name, JsonNode value, JsonNode required) {
        if (EITHER.contains(name)) {
            value.forEach(each -> schema(start + "|", each));
        } else if (name.equals("properties")) {
            List<String> always = new ArrayList<>();
            required.forEach(each -> always.add(each.textValue()));
            sorted(value)
                    .forEach((field, schema) ->
                            schema(start + "." + field + (always.contains(field) ? "" : "?"), schema));
        } else {
            schema(start + (name.equals("items") ? "[]" : "{}"), value);
        }
    }
}
