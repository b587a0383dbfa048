// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The body of a route's requests. Immutable.
 *
 * @param required whether a request must have one
 * @param text its meaning; none if empty
 */
public record RequestContent(boolean required, String text, List<Content> contents) {
    public RequestContent {
        contents = List.copyOf(contents);
    }

    /** Returns a body that is a record as JSON. */
    public static RequestContent of(boolean required, Class<?> record) {
        return new RequestContent(required, "", List.of(Content.of(Content.JSON, record)));
    }

    ObjectNode describe(RecordSchemas schemas) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("required", required);
        if (!text.isEmpty()) {
            json.put("description", text);
        }
        json.set("content", Content.describe(contents, schemas));
        return json;
    }
}
