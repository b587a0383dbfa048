// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks for what an answer has and its schema does not, and for what it lacks. Confined: the maker of one list.
 *
 * <p>A field that is not described is wrong even where the schema would let it pass: clients ignore it.
 */
final class AnswerCheck {
    private final List<String> wrong = new ArrayList<>();

    private AnswerCheck() {}

    /** Returns what is wrong, each with its place. */
    static List<String> wrong(JsonNode schema, JsonNode answer) {
        AnswerCheck check = new AnswerCheck();
        check.check("", resolved(schema), answer);
        return check.wrong;
    }

    private static JsonNode resolved(JsonNode schema) {
        return schema.has("$ref")
                ? Description.ROOT.at(schema.get("$ref").textValue().substring(1))
                : schema;
    }

    private void check(String place, JsonNode schema, JsonNode value) {
        if (schema.has("items") && value.isArray()) {
            JsonNode items = resolved(schema.get("items"));
            for (int i = 0; i < value.size(); i++) {
                check(place + "/" + i, items, value.get(i));
            }
        } else if (schema.has("properties") || schema.has("allOf")) {
            checkFields(place, schema, value);
        } else if (schema.path("additionalProperties").isObject()) {
            value.properties()
                    .forEach(each -> check(
                            place + "/" + each.getKey(),
                            resolved(schema.get("additionalProperties")),
                            each.getValue()));
        } else if (schema.has("type") && !isOf(schema.get("type"), value)) {
            wrong.add(place + " is not of " + schema.get("type"));
        }
    }

    private void checkFields(String place, JsonNode schema, JsonNode value) {
        Map<String, JsonNode> known = new TreeMap<>();
        Set<String> required = new TreeSet<>();
        collect(schema, known, required);
        value.properties().forEach(each -> {
            JsonNode field = known.get(each.getKey());
            if (field == null) {
                wrong.add(place + "/" + each.getKey() + " is not described");
            } else {
                check(place + "/" + each.getKey(), resolved(field), each.getValue());
            }
        });
        value.fieldNames().forEachRemaining(required::remove);
        required.forEach(name -> wrong.add(place + "/" + name + " is missing"));
    }

    private static void collect(JsonNode schema, Map<String, JsonNode> known, Set<String> required) {
        schema.path("allOf").forEach(each -> collect(resolved(each), known, required));
        schema.path("properties").properties().forEach(each -> known.put(each.getKey(), each.getValue()));
        schema.path("required").forEach(each -> required.add(each.textValue()));
    }

    private static boolean isOf(JsonNode type, JsonNode value) {
        if (type.isArray()) {
            for (JsonNode each : type) {
                if (isOf(each, value)) {
                    return true;
                }
            }
            return false;
        }
        return switch (type.textValue()) {
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            case "array" -> value.isArray();
            default -> value.isObject();
        };
    }
}
