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
import java.util.function.UnaryOperator;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.Row;

/**
 * The bytes of one kind of row: a JSON object whose field {@code v} is the version of its form, then the record's
 * fields in their order. What is missing, doubled, of another type or unknown is refused: a row half understood would
 * be written back without the other half.
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

    /** Records whose form has changed, and how a row of the form before becomes one of now. */
    private static final Map<Class<?>, Form> CHANGED =
            Map.of(PartitionRecord.class, new Form(2, row -> row.put("owner", "")));

    private final Class<T> type;
    private final Form form;

    RecordCodec(Class<T> type) {
        this.type = type;
        form = CHANGED.getOrDefault(type, new Form(1, UnaryOperator.identity()));
    }

    /** A version of a record's form. Immutable. */
    private record Form(int version, UnaryOperator<ObjectNode> upgrade) {
        boolean reads(JsonNode found) {
            return found.isInt() && found.intValue() <= version && found.intValue() >= Math.max(1, version - 1);
        }
    }

    byte[] encode(T value) {
        try {
            ObjectNode row = JSON.createObjectNode().put(VERSION_FIELD, form.version);
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
            JsonNode found = fields.path(VERSION_FIELD);
            if (!form.reads(found)) {
                throw refused(Reason.UNKNOWN_FORMAT, row, "has version " + found + " (expected: " + form.version + ")");
            }
            fields.remove(VERSION_FIELD);
            ObjectNode current = found.intValue() == form.version ? fields : form.upgrade.apply(fields);
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
