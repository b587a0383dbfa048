// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.cli.RestCalls;
import org.talos.client.TalosClientException;

/**
 * A list that the server searches and sorts, read page by page.
 *
 * <p>Confined: the main thread.
 */
final class ServedList {
    private static final String PAGE = "1000";

    private final String name;
    private final Map<String, String> query = new LinkedHashMap<>();
    private boolean isComplete = true;

    /** @param name of the list, and of the member of its pages that has the rows */
    ServedList(String name) {
        this.name = name;
        query.put("limit", PAGE);
    }

    /** Adds a parameter if there is a value. */
    ServedList with(String parameter, Optional<String> value) {
        value.ifPresent(text -> query.put(parameter, text));
        return this;
    }

    /** Sets the order. Figures begin with the largest. */
    ServedList sorted(String by, boolean isFigure) {
        query.put("sort", by);
        query.put("order", isFigure ? "desc" : "asc");
        return this;
    }

    /** Reads all rows. */
    List<JsonNode> read(RestCalls calls) throws TalosClientException {
        List<JsonNode> rows = new ArrayList<>();
        String after = "";
        do {
            Map<String, String> page = new LinkedHashMap<>(query);
            if (!after.isEmpty()) {
                page.put("after", after);
            }
            JsonNode answer = calls.get(page, name);
            answer.path(name).forEach(rows::add);
            isComplete &= answer.path("complete").asBoolean(true);
            after = answer.path("next").asText("");
        } while (!after.isEmpty());
        return rows;
    }

    /** Returns a warning if the server could not search all rows. */
    Optional<String> warning() {
        return isComplete
                ? Optional.empty()
                : Optional.of("the server has no memory to search all " + name + ": some are missing here");
    }

    /** Returns the document of all rows. */
    ObjectNode document(List<JsonNode> rows) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.putArray(name).addAll(rows);
        warning().ifPresent(sentence -> document.put("warning", sentence));
        return document;
    }

    /** Returns a value of a row as text; a dash if it is missing, which is not known. */
    static String text(JsonNode value) {
        return value.isMissingNode() ? "-" : value.asText();
    }
}
