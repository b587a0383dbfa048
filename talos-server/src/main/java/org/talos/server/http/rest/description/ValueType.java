// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;
import java.util.function.Consumer;

/** The type of a parameter, of a header, or of a body that is no record, as a schema of JSON. Immutable. */
public final class ValueType {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode schema;

    private ValueType(ObjectNode schema) {
        this.schema = schema;
    }

    public static ValueType text() {
        return ofType("string");
    }

    public static ValueType integer() {
        return ofType("integer");
    }

    public static ValueType flag() {
        return ofType("boolean");
    }

    public static ValueType object() {
        return ofType("object");
    }

    private static ValueType ofType(String type) {
        return new ValueType(JsonNodeFactory.instance.objectNode().put("type", type));
    }

    /** Returns a point of time as clients write it. */
    public static ValueType time() {
        return new ValueType(RecordSchemas.reference("PointOfTime"));
    }

    /** Returns the type of a value that has one of several types. */
    public static ValueType anyOf(ValueType... types) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        ArrayNode all = schema.putArray("anyOf");
        for (ValueType each : types) {
            all.add(each.schema());
        }
        return new ValueType(schema);
    }

    /** Returns this type with a format, by its name in JSON Schema. */
    public ValueType format(String format) {
        return with(more -> more.put("format", format));
    }

    /** Returns this type of texts with a pattern. */
    public ValueType pattern(String pattern) {
        return with(more -> more.put("pattern", pattern));
    }

    /** Returns this type of texts with all that are possible. */
    public ValueType words(String... words) {
        return with(more -> {
            ArrayNode all = more.putArray("enum");
            for (String each : words) {
                all.add(each);
            }
        });
    }

    /** Returns this type of numbers with bounds that belong to it. */
    public ValueType between(long min, long max) {
        return with(more -> more.put("minimum", min).put("maximum", max));
    }

    /** Returns this type of numbers with its least one. */
    public ValueType min(long min) {
        return with(more -> more.put("minimum", min));
    }

    /** Returns this type of texts with the fewest and the most characters. */
    public ValueType length(int min, int max) {
        return with(more -> more.put("minLength", min).put("maxLength", max));
    }

    /** Returns this type of texts with the most characters. */
    public ValueType maxLength(int max) {
        return with(more -> more.put("maxLength", max));
    }

    /** Returns this type with the value that a missing one stands for. */
    public ValueType usual(String usual) {
        return with(more -> more.put("default", usual));
    }

    /** Returns this type with the number that a missing one stands for. */
    public ValueType usual(long usual) {
        return with(more -> more.put("default", usual));
    }

    /** Returns this type with the meaning of a missing flag. */
    public ValueType usual(boolean usual) {
        return with(more -> more.put("default", usual));
    }

    /** Returns this type with its meaning, for people. */
    public ValueType described(String text) {
        return with(more -> more.put("description", text));
    }

    private ValueType with(Consumer<ObjectNode> change) {
        ObjectNode more = schema.deepCopy();
        change.accept(more);
        return new ValueType(more);
    }

    /** Returns the schema, which belongs to the caller. */
    ObjectNode schema() {
        return schema.deepCopy();
    }

    /** Returns a schema that is written as JSON. */
    static ObjectNode parse(String json) {
        try {
            return (ObjectNode) Objects.requireNonNull(JSON.readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a schema that is not JSON: " + json, e);
        }
    }
}
