// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.description.Inlined;
import org.talos.server.http.rest.description.RecordSchemas;

/**
 * Makes trees of records: a field for each component, in their order, and none for an optional one that is empty. For
 * answers that are small, or asked for by people. Records must be public. Immutable.
 */
final class RecordJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            return Arrays.stream(type.getRecordComponents()).map(Field::of).toList();
        }
    };

    /** A field of an object, or those of a record in its place. Immutable. */
    private record Field(String name, boolean isInlined, Method accessor) {
        static Field of(RecordComponent component) {
            return new Field(
                    RecordSchemas.nameOf(component),
                    component.isAnnotationPresent(Inlined.class),
                    component.getAccessor());
        }

        Object valueOf(Record record) {
            try {
                return accessor.invoke(record);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a public record can be read: " + record.getClass(), e);
            }
        }
    }

    private RecordJson() {}

    static ObjectNode tree(Record record) {
        ObjectNode json = NODES.objectNode();
        addTo(json, record);
        return json;
    }

    private static void addTo(ObjectNode json, Record record) {
        for (Field field : FIELDS.get(record.getClass())) {
            Object value = present(field.valueOf(record));
            if (value == null) {
                continue;
            }
            if (field.isInlined()) {
                addTo(json, (Record) value);
            } else {
                json.set(field.name(), node(value));
            }
        }
    }

    /** Returns the value of an optional, or null if it is empty. */
    private static @Nullable Object present(Object value) {
        if (value instanceof Optional<?> any) {
            return any.isPresent() ? any.get() : null;
        }
        if (value instanceof OptionalLong number) {
            return number.isPresent() ? (Object) number.getAsLong() : null;
        }
        if (value instanceof OptionalInt number) {
            return number.isPresent() ? (Object) number.getAsInt() : null;
        }
        if (value instanceof OptionalDouble number) {
            return number.isPresent() ? (Object) number.getAsDouble() : null;
        }
        return value;
    }

    private static JsonNode node(Object value) {
        if (value instanceof JsonNode tree) {
            return tree;
        }
        if (value instanceof Boolean flag) {
            return NODES.booleanNode(flag);
        }
        if (value instanceof Number number) {
            return value instanceof Double
                    ? NODES.numberNode(number.doubleValue())
                    : NODES.numberNode(number.longValue());
        }
        if (value instanceof Record record) {
            return tree(record);
        }
        if (value instanceof Collection<?> all) {
            return list(all);
        }
        return value instanceof Map<?, ?> map ? object(map) : NODES.textNode(value.toString());
    }

    static ArrayNode list(Collection<?> all) {
        ArrayNode list = NODES.arrayNode(all.size());
        for (Object each : all) {
            Object value = present(each);
            list.add(value == null ? NODES.nullNode() : node(value));
        }
        return list;
    }

    private static ObjectNode object(Map<?, ?> map) {
        ObjectNode object = NODES.objectNode();
        map.forEach((name, value) -> object.set(name.toString(), node(value)));
        return object;
    }
}
