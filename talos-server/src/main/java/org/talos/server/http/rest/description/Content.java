// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Function;

/**
 * What a body may be. Immutable.
 *
 * @param mediaType by which it is named in {@code Content-Type}
 * @param schema of the body; the schemas of records are added to the given ones
 */
public record Content(String mediaType, Function<RecordSchemas, ObjectNode> schema) {
    static final String JSON = "application/json";

    public static Content of(String mediaType, ValueType type) {
        return new Content(mediaType, schemas -> type.schema());
    }

    public static Content of(String mediaType, Class<?> record) {
        return new Content(mediaType, schemas -> schemas.of(record));
    }

    static ObjectNode describe(List<Content> contents, RecordSchemas schemas) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (Content each : contents) {
            json.putObject(each.mediaType).set("schema", each.schema.apply(schemas));
        }
        return json;
    }
}
