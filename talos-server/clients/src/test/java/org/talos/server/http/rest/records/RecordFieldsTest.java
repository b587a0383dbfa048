// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.description.RecordSchemas;
import org.talos.server.http.rest.json.Json;

/** The JSON of records beside their schemas. */
class RecordFieldsTest {
    private static final List<Class<?>> HOLDERS = List.of(
            ClusterRecords.class,
            GroupRecords.class,
            MemberRecords.class,
            MessageRecords.class,
            OverviewRecords.class,
            PartitionRecords.class,
            PermissionRecords.class,
            ProblemRecords.class,
            QuotaRecords.class,
            SearchRecords.class,
            SessionRecords.class,
            TopicRecords.class,
            UserRecords.class);

    private final RecordSchemas schemas = new RecordSchemas();

    private static List<Class<?>> records() {
        return HOLDERS.stream()
                .<Class<?>>flatMap(holder -> Arrays.stream(holder.getDeclaredClasses()))
                .filter(Class::isRecord)
                .toList();
    }

    @Test
    void fullRecordHasAllFieldsThatAreDescribed() throws Exception {
        for (Class<?> type : records()) {
            assertThat(fields(Json.tree(made(type, true))))
                    .as(type.getName())
                    .isEqualTo(described(schemas.of(type), false));
        }
    }

    @Test
    void recordWithoutOptionalValuesHasTheFieldsThatAreRequired() throws Exception {
        for (Class<?> type : records()) {
            assertThat(fields(Json.tree(made(type, false))))
                    .as(type.getName())
                    .isEqualTo(described(schemas.of(type), true));
        }
    }

    private static Set<String> fields(JsonNode json) {
        Set<String> names = new TreeSet<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private Set<String> described(JsonNode schema, boolean requiredOnly) {
        if (schema.has("$ref")) {
            String name = schema.get("$ref").textValue();
            return described(
                    requireNonNull(schemas.named().get(name.substring(name.lastIndexOf('/') + 1))), requiredOnly);
        }
        Set<String> names = new TreeSet<>();
        schema.path("allOf").forEach(part -> names.addAll(described(part, requiredOnly)));
        if (requiredOnly) {
            schema.path("required").forEach(name -> names.add(name.textValue()));
        } else {
            names.addAll(fields(schema.path("properties")));
        }
        return names;
    }

    private static Record made(Class<?> type, boolean full) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = value(components[i].getGenericType(), full);
        }
        return (Record) type.getDeclaredConstructor(types).newInstance(values);
    }

    private static Object value(Type type, boolean full) throws Exception {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            Object of = value(arguments[arguments.length - 1], full);
            if (generic.getRawType().equals(Optional.class)) {
                return full ? Optional.of(of) : Optional.empty();
            }
            return generic.getRawType().equals(List.class) ? List.of(of) : Map.of("name", of);
        }
        Class<?> plain = (Class<?>) type;
        return plain.isRecord() ? made(plain, full) : simple(plain, full);
    }

    private static Object simple(Class<?> type, boolean full) {
        return switch (type.getSimpleName()) {
            case "OptionalInt" -> full ? OptionalInt.of(1) : OptionalInt.empty();
            case "OptionalLong" -> full ? OptionalLong.of(1) : OptionalLong.empty();
            case "OptionalDouble" -> full ? OptionalDouble.of(1) : OptionalDouble.empty();
            case "int", "Integer" -> 1;
            case "long", "Long", "Number" -> 1L;
            case "double" -> 1.0;
            case "boolean", "Boolean" -> true;
            case "Instant" -> Instant.EPOCH;
            default -> "text";
        };
    }
}
