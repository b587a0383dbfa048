// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * Encodes nodes as JSON objects whose field {@code v} is the version of their form. Another version, a missing or an
 * unknown field is refused: a node read in part would be written back without the rest.
 *
 * <p>Immutable.
 */
final class NodeFormat {
    private static final int VERSION = 1;
    private static final String VERSION_FIELD = "v";
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private NodeFormat() {}

    static byte[] encode(Record value) {
        ObjectNode node = JSON.createObjectNode().put(VERSION_FIELD, VERSION);
        node.setAll(JSON.<ObjectNode>valueToTree(value));
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record has a JSON form", e);
        }
    }

    /** @throws IOException it has another version, or is damaged; the message names the node */
    static <T extends Record> T decode(String path, byte[] data, Class<T> type) throws IOException {
        try {
            JsonNode node = JSON.readTree(data);
            if (!(node instanceof ObjectNode object)) {
                throw new IOException(path + ": not a JSON object");
            }
            JsonNode version = object.remove(VERSION_FIELD);
            if (version == null || !version.isInt() || version.intValue() != VERSION) {
                throw new IOException(path + ": version " + version + " (known: " + VERSION + ")");
            }
            return JSON.treeToValue(object, type);
        } catch (JsonProcessingException e) {
            throw new IOException(path + ": " + e.getOriginalMessage(), e);
        }
    }
}
