// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A parameter of a request, or a header of an answer. Immutable.
 *
 * @param in {@code path}, {@code query}, or {@code header}
 * @param text its meaning; none if empty
 */
public record Parameter(String name, String in, String text, ValueType type) {
    ObjectNode describe() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", name);
        json.put("in", in);
        json.put("description", text);
        json.set("schema", type.schema());
        if (in.equals("path")) {
            json.put("required", true);
        }
        return json;
    }

    ObjectNode describeAsHeader() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (!text.isEmpty()) {
            json.put("description", text);
        }
        json.set("schema", type.schema());
        return json;
    }
}
