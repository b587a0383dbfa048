// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Creates schemas of records, and keeps the named ones. A component's type determines the field's type, and
 * {@link Described} the rest.
 *
 * <p>Confined: the maker of one description.
 */
public final class RecordSchemas {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Map<Class<?>, String> SIMPLE = Map.ofEntries(
            entry(String.class, "string"),
            entry(Instant.class, "string"),
            entry(boolean.class, "boolean"),
            entry(Boolean.class, "boolean"),
            entry(int.class, "integer"),
            entry(Integer.class, "integer"),
            entry(long.class, "integer"),
            entry(Long.class, "integer"),
            entry(double.class, "number"),
            entry(Number.class, "number"));
    private static final Map<Class<?>, Class<?>> OPTIONAL_NUMBERS =
            Map.of(OptionalInt.class, int.class, OptionalLong.class, long.class, OptionalDouble.class, double.class);

    private final SortedMap<String, ObjectNode> named = new TreeMap<>();

    /** The fields of an object, as they are found. Confined: the maker of one schema. */
    private static final class Fields {
        private final ObjectNode properties = NODES.objectNode();
        private final List<String> required = new ArrayList<>();
        private final List<ObjectNode> bases = new ArrayList<>();
    }

    /** Returns the schema of a record: a reference if it has a name. */
    public ObjectNode of(Class<?> record) {
        return schema(record, false);
    }

    /** Returns all schemas with a name, by it, so far. */
    public SortedMap<String, ObjectNode> named() {
        return Collections.unmodifiableSortedMap(named);
    }

    static ObjectNode reference(String name) {
        return NODES.objectNode().put("$ref", "#/components/schemas/" + name);
    }

    private ObjectNode schema(Type type, boolean closed) {
        if (type instanceof ParameterizedType generic) {
            return ofGeneric(generic, closed);
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isAnnotationPresent(Schema.class)) {
            return named(plain);
        }
        return plain.isRecord() ? object(plain, closed) : simple(plain);
    }

    private ObjectNode ofGeneric(ParameterizedType type, boolean closed) {
        Type[] arguments = type.getActualTypeArguments();
        ObjectNode of = schema(arguments[arguments.length - 1], closed);
        if (type.getRawType().equals(List.class)) {
            ObjectNode list = NODES.objectNode().put("type", "array");
            list.set("items", of);
            return list;
        }
        if (type.getRawType().equals(Map.class)) {
            ObjectNode map = NODES.objectNode().put("type", "object");
            map.set("additionalProperties", of);
            return map;
        }
        if (type.getRawType().equals(Optional.class)) { // in a list, where nothing can be missing
            String known = of.get("type").textValue();
            of.putArray("type").add(known).add("null");
            return of;
        }
        throw new IllegalArgumentException("no schema for " + type);
    }

    private static ObjectNode simple(Class<?> type) {
        ObjectNode schema = NODES.objectNode();
        if (type == Object.class) {
            return schema;
        }
        String name = SIMPLE.get(type);
        if (name == null) {
            throw new IllegalArgumentException("no schema for " + type);
        }
        schema.put("type", name);
        return type == Instant.class ? schema.put("format", "date-time") : schema;
    }

    private ObjectNode named(Class<?> type) {
        String name = type.getSimpleName();
        if (!named.containsKey(name)) {
            ObjectNode body = NODES.objectNode();
            named.put(name, body); // before its fields, which may lead to it again
            body.setAll(body(type, Objects.requireNonNull(type.getAnnotation(Schema.class))));
        }
        return reference(name);
    }

    private ObjectNode body(Class<?> type, Schema schema) {
        if (type.isRecord()) {
            ObjectNode object = object(type, schema.closed());
            if (schema.oneOf().length > 0) {
                ArrayNode all = object.putArray("oneOf");
                for (String each : schema.oneOf()) {
                    all.addObject().putArray("required").add(each);
                }
            }
            return object;
        }
        ObjectNode either = NODES.objectNode();
        ArrayNode all = either.putArray("oneOf");
        for (Class<?> each : type.getPermittedSubclasses()) {
            all.add(schema(each, schema.closed()));
        }
        return either;
    }

    private ObjectNode object(Class<?> type, boolean closed) {
        Fields fields = new Fields();
        for (RecordComponent each : type.getRecordComponents()) {
            add(each, fields, closed, true);
        }
        ObjectNode own = NODES.objectNode().put("type", "object");
        Described described = type.getAnnotation(Described.class);
        if (described != null) {
            own.put("description", described.value());
        }
        if (!fields.required.isEmpty()) {
            fields.required.forEach(own.putArray("required")::add);
        }
        own.set("properties", fields.properties);
        if (closed) {
            own.put("additionalProperties", false);
        }
        if (fields.bases.isEmpty()) {
            return own;
        }
        ObjectNode all = NODES.objectNode();
        all.putArray("allOf").addAll(fields.bases).add(own);
        return all;
    }

    private void add(RecordComponent component, Fields to, boolean closed, boolean required) {
        Type type = component.getGenericType();
        Type value = withoutOptional(type);
        boolean always = required && value.equals(type);
        Inlined inlined = component.getAnnotation(Inlined.class);
        if (inlined == null) {
            String name = nameOf(component);
            to.properties.set(name, field(component, value, closed));
            if (always) {
                to.required.add(name);
            }
        } else if (inlined.byReference()) {
            to.bases.add(schema(value, closed));
        } else {
            for (RecordComponent each : ((Class<?>) value).getRecordComponents()) {
                add(each, to, closed, always);
            }
        }
    }

    /** Returns the name of the field that a component is. */
    public static String nameOf(RecordComponent component) {
        Described described = component.getAnnotation(Described.class);
        return described == null || described.name().isEmpty() ? component.getName() : described.name();
    }

    private static Type withoutOptional(Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType().equals(Optional.class)) {
            return generic.getActualTypeArguments()[0];
        }
        Class<?> number = type instanceof Class<?> plain ? OPTIONAL_NUMBERS.get(plain) : null;
        return number == null ? type : number;
    }

    private ObjectNode field(RecordComponent component, Type type, boolean closed) {
        Described described = component.getAnnotation(Described.class);
        if (described == null) {
            return schema(type, closed);
        }
        if (!described.schema().isEmpty()) {
            return ValueType.parse(described.schema());
        }
        ObjectNode schema = schema(type, closed);
        putText(schema, "description", described.value());
        putText(schema, "format", described.format());
        putText(schema, "pattern", described.pattern());
        putBounds(schema, described);
        if (described.words().length > 0) {
            ArrayNode all = schema.putArray("enum");
            for (String each : described.words()) {
                all.add(each);
            }
        }
        if (!described.usual().isEmpty()) {
            putUsual(schema, described.usual());
        }
        return schema;
    }

    private static void putText(ObjectNode schema, String name, String text) {
        if (!text.isEmpty()) {
            schema.put(name, text);
        }
    }

    private static void putBounds(ObjectNode schema, Described described) {
        String bound = switch (schema.path("type").asText()) {
            case "string" -> "Length";
            case "array" -> "Items";
            default -> "imum";
        };
        if (described.min() != Long.MIN_VALUE) {
            schema.put("min" + bound, described.min());
        }
        if (described.max() != Long.MAX_VALUE) {
            schema.put("max" + bound, described.max());
        }
    }

    private static void putUsual(ObjectNode schema, String usual) {
        switch (schema.path("type").asText()) {
            case "integer" -> schema.put("default", Long.parseLong(usual));
            case "boolean" -> schema.put("default", Boolean.parseBoolean(usual));
            default -> schema.put("default", usual);
        }
    }
}
