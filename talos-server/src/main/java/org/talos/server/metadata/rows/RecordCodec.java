// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.Row;

/**
 * Encodes one type of record as a JSON object: the field {@code v}, the version of the format, then the record's fields
 * in their order. A missing, repeated, mistyped or unknown field is refused: a row read in part would be written back
 * without the rest.
 *
 * <p>Thread-safe.
 */
final class RecordCodec<T> {
    private static final String VERSION_FIELD = "v";

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private final Class<T> type;
    private final RowFormat format;

    RecordCodec(Class<T> type, RowFormat format) {
        this.type = type;
        this.format = format;
    }

    byte[] encode(T value) {
        try {
            ObjectNode fields = (ObjectNode) JSON.readTree(JSON.writeValueAsBytes(value));
            int version = format.version() - (format.fitsBefore().test(fields) ? 1 : 0);
            ObjectNode row = JSON.createObjectNode().put(VERSION_FIELD, version);
            row.setAll(fields);
            return JSON.writeValueAsBytes(row);
        } catch (IOException e) {
            throw new IllegalStateException("a " + type.getSimpleName() + " has no JSON form", e);
        }
    }

    /**
     * Returns the bytes with which a row begins whose first fields have the values of the record: everything in front
     * of the named field. Rows of other versions and damaged rows begin differently.
     */
    byte[] beginning(T value, String before) {
        try {
            ObjectNode row = (ObjectNode) JSON.readTree(encode(value));
            boolean found = false;
            for (String field : row.properties().stream().map(Map.Entry::getKey).toList()) {
                found |= field.equals(before);
                if (found) {
                    row.remove(field);
                }
            }
            byte[] object = JSON.writeValueAsBytes(row);
            object[object.length - 1] = ','; // in place of the closing brace
            return object;
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory failed", e);
        }
    }

    Versioned<T> decode(Row row) throws MetadataException {
        try {
            JsonNode tree = JSON.readTree(row.value());
            if (!(tree instanceof ObjectNode fields)) {
                throw refused(Reason.CORRUPT, row, "is not a JSON object");
            }
            JsonNode found = fields.path(VERSION_FIELD);
            if (!format.reads(found)) {
                throw refused(
                        Reason.UNKNOWN_FORMAT, row, "has version " + found + " (expected: " + format.version() + ")");
            }
            fields.remove(VERSION_FIELD);
            ObjectNode current = format.upgrade(fields, found.intValue());
            return new Versioned<>(JSON.treeToValue(current, type), row.version());
        } catch (UnrecognizedPropertyException e) {
            throw refused(Reason.UNKNOWN_FORMAT, row, "has the unknown field " + e.getPropertyName());
        } catch (JsonProcessingException e) {
            throw refused(Reason.CORRUPT, row, "cannot be read: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory failed", e);
        }
    }

    private MetadataException refused(Reason reason, Row row, String what) {
        return new MetadataException(
                reason, Effect.NONE, "row " + row.key() + ", a " + type.getSimpleName() + ", " + what);
    }
}
