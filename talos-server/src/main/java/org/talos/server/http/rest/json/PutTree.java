// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import org.talos.common.message.WrittenJson;

/**
 * The tree of a put's text, in which the JSON that is a message stands as it was written. It makes no nodes of such a
 * value.
 *
 * <p>Confined: one text.
 */
final class PutTree {
    private static final String JSON = "json";
    /** Levels around the members of a message: of a line, which is the message, and of one in the list of a batch. */
    private static final int LEVELS_IN_A_LINE = 1;

    private static final int LEVELS_IN_A_BATCH = 3;

    private final String text;
    private final JsonParser from;
    private int levels;

    private PutTree(String text, JsonParser from) {
        this.text = text;
        this.from = from;
    }

    /**
     * A value that was not made a tree. Immutable.
     *
     * @param json the value, on one line
     * @param isHalved whether some text in it has half of a surrogate pair
     */
    record Written(String json, boolean isHalved) {}

    /**
     * Reads a text of one value, in which the {@code json} of each message is a {@link POJONode} of {@link Written}.
     *
     * @throws IOException the text is not JSON within the factory's constraints
     * @throws NumberFormatException a number is beyond all numbers
     */
    static JsonNode read(JsonFactory factory, String text) throws IOException {
        try (JsonParser from = factory.createParser(text)) {
            if (from.nextToken() == null) {
                return MissingNode.getInstance();
            }
            JsonNode tree = new PutTree(text, from).value();
            if (from.nextToken() != null) {
                throw new JsonParseException(from, "something follows the value");
            }
            return tree;
        }
    }

    private JsonNode value() throws IOException {
        return switch (from.currentToken()) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_STRING -> TextNode.valueOf(from.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> DecimalNode.valueOf(from.getDecimalValue());
            case VALUE_TRUE -> BooleanNode.TRUE;
            case VALUE_FALSE -> BooleanNode.FALSE;
            case VALUE_NULL -> NullNode.getInstance();
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new JsonParseException(from, "no value where one is needed");
        };
    }

    private ObjectNode object() throws IOException {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        levels++;
        boolean isMessage = levels == LEVELS_IN_A_LINE || levels == LEVELS_IN_A_BATCH;
        for (String name = from.nextFieldName(); name != null; name = from.nextFieldName()) {
            JsonToken token = from.nextToken();
            boolean isWritten = isMessage && name.equals(JSON) && token != JsonToken.VALUE_NULL;
            object.set(name, isWritten ? written() : value());
        }
        levels--;
        return object;
    }

    private ArrayNode array() throws IOException {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        levels++;
        while (from.nextToken() != JsonToken.END_ARRAY) {
            array.add(value());
        }
        levels--;
        return array;
    }

    private POJONode written() throws IOException {
        int start = Math.toIntExact(from.currentTokenLocation().getCharOffset());
        boolean isHalved = pass();
        return new POJONode(new Written(WrittenJson.at(text, start), isHalved));
    }

    /** Goes to the end of a value; returns whether a text in it has half of a surrogate pair. */
    private boolean pass() throws IOException {
        boolean isHalved = false;
        int depth = 0;
        do {
            JsonToken token = from.currentToken();
            if (token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME) {
                isHalved |= JsonObject.isHalved(from.getText());
            } else if (token.isNumeric()) {
                Json.requirePossible(from.getText());
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        } while (depth > 0 && from.nextToken() != null);
        return isHalved;
    }
}
