// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * An answer that a route may give. Immutable.
 *
 * @param text condition and meaning of the answer
 * @param contents possible bodies; empty if it has none
 */
public record Answer(int status, String text, List<Parameter> headers, List<Content> contents) {
    public Answer {
        headers = List.copyOf(headers);
        contents = List.copyOf(contents);
    }

    /** Returns an answer without a body. */
    public static Answer of(int status, String text) {
        return new Answer(status, text, List.of(), List.of());
    }

    /** Returns an answer that is a record as JSON. */
    public static Answer of(int status, String text, Class<?> record) {
        return of(status, text).as(Content.of(Content.JSON, record));
    }

    /** Returns this answer with a body that it may have. */
    public Answer as(Content content) {
        List<Content> more = new ArrayList<>(contents);
        more.add(content);
        return new Answer(status, text, headers, more);
    }

    /**
     * Returns this answer with a header.
     *
     * @param meaning none if empty
     */
    public Answer header(String name, String meaning, ValueType type) {
        List<Parameter> more = new ArrayList<>(headers);
        more.add(new Parameter(name, "header", meaning, type));
        return new Answer(status, text, more, contents);
    }

    ObjectNode describe(RecordSchemas schemas) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("description", text);
        if (!headers.isEmpty()) {
            ObjectNode all = json.putObject("headers");
            headers.forEach(each -> all.set(each.name(), each.describeAsHeader()));
        }
        if (!contents.isEmpty()) {
            json.set("content", Content.describe(contents, schemas));
        }
        return json;
    }
}
