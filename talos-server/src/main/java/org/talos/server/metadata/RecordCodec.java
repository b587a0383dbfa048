// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

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
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * The bytes of one kind of row: a JSON object whose field {@code v} is the version of its form, then the record's
 * fields in their order. What is missing, doubled, of another type or unknown is refused: a row half understood would
 * be written back without the other half.
 *
 * <p>Thread-safe.
 */
final class RecordCodec<T> {
    private static final String VERSION_FIELD = "v";
    private static final int VERSION = 1;

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

    RecordCodec(Class<T> type) {
        this.type = type;
    }

    byte[] encode(T value) {
        try {
            ObjectNode row = JSON.createObjectNode().put(VERSION_FIELD, VERSION);
            row.setAll((ObjectNode) JSON.readTree(JSON.writeValueAsBytes(value)));
            return JSON.writeValueAsBytes(row);
        } catch (IOException e) {
            throw new IllegalStateException("a " + type.getSimpleName() + " has no JSON form", e);
        }
    }

    Versioned<T> decode(Row row) throws MetadataException {
        try {
            JsonNode tree = JSON.readTree(row.value());
            if (!(tree instanceof ObjectNode fields)) {
                throw refused(Reason.CORRUPT, row, "is not a JSON object");
            }
            JsonNode version = fields.path(VERSION_FIELD);
            if (!version.isInt() || version.intValue() != VERSION) {
                throw refused(Reason.UNKNOWN_FORMAT, row, "has version " + version + " (expected: " + VERSION + ")");
            }
            fields.remove(VERSION_FIELD);
            return new Versioned<>(JSON.treeToValue(fields, type), row.version());
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
