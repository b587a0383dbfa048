// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.ByteBufferBackedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.json.ProblemException;

/**
 * A place in a JSON message, and a condition on its value: {@code $.order.items[0].sku == "A-17"}. Names, indexes, and
 * the wildcard {@code *} for both, as in RFC 9535, and one comparison with a value. Without a comparison, the place
 * must exist.
 *
 * <p>A message is read once, from its beginning to the first match, without a tree. The time is proportional to its
 * bytes, whatever the condition, and the memory is one text of at most {@value #MAX_COMPARED_CHARACTERS} characters.
 * That is why no library is used: libraries for all of JSON path build a tree first, and have conditions of unbounded
 * time.
 *
 * <p>Immutable.
 */
record JsonCondition(List<Step> steps, Optional<Comparison> comparison) {
    /** Jackson collects a text that is compared, and the digits of each number, before anyone can look at them. */
    static final int MAX_COMPARED_CHARACTERS = 64 << 10;

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES) // it would keep names that clients make up
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(JsonConditionParser.MAX_NUMBER_CHARACTERS)
                    .maxStringLength(MAX_COMPARED_CHARACTERS)
                    .build())
            .build();

    JsonCondition {
        steps = List.copyOf(steps);
    }

    /** One step down. Immutable. */
    sealed interface Step {
        /** To the member of that name. Immutable. */
        record Name(String name) implements Step {}

        /** To the element of that number, from 0. Immutable. */
        record Index(int index) implements Step {}

        /** To each member or element. */
        record Any() implements Step {}
    }

    /** The comparison with the value at the place. */
    enum Operator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST;

        boolean holds(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case LESS -> order < 0;
                case AT_MOST -> order <= 0;
                case GREATER -> order > 0;
                case AT_LEAST -> order >= 0;
            };
        }
    }

    /**
     * The comparison that has to hold. Immutable.
     *
     * @param value a text, number, boolean or null
     */
    record Comparison(Operator operator, JsonNode value) {}

    /**
     * Reads a condition.
     *
     * @throws ProblemException 400, with the place where it is wrong
     */
    static JsonCondition parse(String text) {
        return parse(text, "parameter jsonPath");
    }

    /**
     * Reads a condition.
     *
     * @param source of the text, for the problem
     * @throws ProblemException 400, with the place where it is wrong
     */
    static JsonCondition parse(String text, String source) {
        return new JsonConditionParser(text, source).condition();
    }

    /**
     * Returns whether a message is JSON in which the condition holds somewhere; the bytes after that place may be
     * anything.
     */
    boolean holds(ByteBuffer message) {
        return holds(message, json -> comparison.isEmpty() || holds(json, comparison.get()));
    }

    /**
     * Returns whether a message is JSON in which a text, number, true, false, or null at this place passes the test.
     * The test gets the value as it is written, and texts without quotes and escapes. The bytes after that place may be
     * anything.
     */
    boolean holds(ByteBuffer message, TextTest test, SearchWork work) {
        return holds(
                message,
                json -> json.currentToken().isScalarValue()
                        && test.holds(StandardCharsets.UTF_8.encode(json.getText()), work));
    }

    /** A test of the value at which a parser is, of which it reads no more than this value. */
    private interface ValueTest {
        boolean holds(JsonParser json) throws IOException;
    }

    private boolean holds(ByteBuffer message, ValueTest test) {
        try (JsonParser json = parser(message)) {
            return json.nextToken() != null && holds(json, test, 0);
        } catch (IOException | NumberFormatException | ArithmeticException e) {
            return false; // no JSON up to here
        }
    }

    private static JsonParser parser(ByteBuffer message) throws IOException {
        return message.hasArray()
                ? JSON.createParser(message.array(), message.arrayOffset() + message.position(), message.remaining())
                : JSON.createParser(new ByteBufferBackedInputStream(message.duplicate()));
    }

    /** Looks at the value at which the parser is, and leaves it at the value's end unless it has found a match. */
    private boolean holds(JsonParser json, ValueTest test, int depth) throws IOException {
        if (depth == steps.size()) {
            boolean found = test.holds(json);
            if (!found) {
                json.skipChildren();
            }
            return found;
        }
        Step step = steps.get(depth);
        if (json.currentToken() == JsonToken.START_OBJECT && !(step instanceof Step.Index)) {
            return holdsInObject(json, step, test, depth);
        }
        if (json.currentToken() == JsonToken.START_ARRAY && !(step instanceof Step.Name)) {
            return holdsInArray(json, step, test, depth);
        }
        json.skipChildren();
        return false;
    }

    private boolean holdsInObject(JsonParser json, Step step, ValueTest test, int depth) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean wanted = !(step instanceof Step.Name named) || named.name().equals(json.currentName());
            json.nextToken();
            if (!wanted) {
                json.skipChildren();
            } else if (holds(json, test, depth + 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean holdsInArray(JsonParser json, Step step, ValueTest test, int depth) throws IOException {
        for (int index = 0; json.nextToken() != JsonToken.END_ARRAY; index++) {
            if (json.currentToken() == null) {
                return false; // it ends in the middle
            }
            boolean wanted = !(step instanceof Step.Index at) || at.index() == index;
            if (!wanted) {
                json.skipChildren();
            } else if (holds(json, test, depth + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Values of different kinds are different, and neither is less than the other. */
    private static boolean holds(JsonParser json, Comparison wanted) throws IOException {
        JsonNode value = wanted.value();
        JsonToken token = json.currentToken();
        Operator operator = wanted.operator();
        if (token == JsonToken.VALUE_STRING && value.isTextual()) {
            return holds(json, operator, value.textValue());
        }
        if (token.isNumeric() && value.isNumber()) {
            return operator.holds(json.getDecimalValue().compareTo(value.decimalValue()));
        }
        boolean equal = token == value.asToken(); // true, false and null
        return operator == Operator.NOT_EQUAL ? !equal : equal && operator.holds(0);
    }

    /** A text that is too long to be compared differs from every value. The message is not searched behind it. */
    private static boolean holds(JsonParser json, Operator operator, String value) throws IOException {
        try {
            return operator.holds(json.getText().compareTo(value));
        } catch (StreamConstraintsException e) {
            if (operator == Operator.NOT_EQUAL) {
                return true;
            }
            throw e; // the parser has stopped in the middle of the text
        }
    }
}
