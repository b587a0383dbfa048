// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object whose fields are read by name and type. {@link #end} refuses fields that were not read. Every wrong
 * field is a {@link ProblemException} that names it.
 *
 * <p>Jackson reads and checks the JSON ({@link Json}). Its binding to records would report wrong input with names of
 * Java classes.
 *
 * <p>Confined: one reader.
 */
public final class JsonObject {
    private static final int SHOWN = 200; // characters
    private static final String WHOLE_TEXT = "text without half of a surrogate pair";

    private final String path;
    private final ObjectNode fields;
    private final Set<String> asked = new HashSet<>();

    JsonObject(String path, ObjectNode fields) {
        this.path = path;
        this.fields = fields;
    }

    private @Nullable JsonNode field(String name) {
        asked.add(name);
        JsonNode value = fields.get(name);
        if (value != null && value.isNull()) {
            throw wrong(name, "a value, or no such field");
        }
        return value;
    }

    public boolean has(String name) {
        return field(name) != null;
    }

    /** A value as it is; empty if it is missing. */
    public Optional<JsonNode> any(String name) {
        JsonNode value = field(name);
        if (value != null) {
            requireWhole(name, value);
        }
        return Optional.ofNullable(value);
    }

    /**
     * Returns a value as it is written, without the white space between its parts; empty if it is missing.
     *
     * @throws ProblemException 400: a text in it has half of a surrogate pair
     */
    public Optional<String> written(String name) {
        JsonNode value = field(name);
        if (value instanceof POJONode node && node.getPojo() instanceof PutTree.Written written) {
            if (written.isHalved()) {
                throw wrong(name, WHOLE_TEXT);
            }
            return Optional.of(written.json());
        }
        return any(name).map(JsonNode::toString);
    }

    private void requireWhole(String name, JsonNode value) {
        if (value.isTextual()) {
            var unused = checked(name, value);
        } else {
            value.forEach(each -> requireWhole(name, each));
        }
    }

    public Optional<String> text(String name) {
        JsonNode value = field(name);
        return value == null ? Optional.empty() : Optional.of(checked(name, value));
    }

    private String checked(String name, JsonNode value) {
        if (!value.isTextual()) {
            throw wrong(name, "text");
        }
        if (isHalved(value.textValue())) {
            throw wrong(name, WHOLE_TEXT);
        }
        return value.textValue();
    }

    /**
     * Returns whether there is half of a surrogate pair, which an escape of JSON can be, and UTF-8 cannot store. In
     * names of fields Jackson refuses it.
     */
    static boolean isHalved(String text) {
        return text.codePoints().anyMatch(each -> Character.getType(each) == Character.SURROGATE);
    }

    public String requiredText(String name) {
        return text(name).orElseThrow(() -> wrong(name, "text"));
    }

    public OptionalInt integer(String name) {
        OptionalLong number = number(name);
        if (number.isPresent() && number.getAsLong() != (int) number.getAsLong()) {
            throw wrong(name, "a whole number of at most 32 bits");
        }
        return number.isPresent() ? OptionalInt.of((int) number.getAsLong()) : OptionalInt.empty();
    }

    /** A whole number, also if it is written with a fraction of zero. */
    public OptionalLong number(String name) {
        JsonNode value = field(name);
        if (value == null) {
            return OptionalLong.empty();
        }
        try {
            if (value.isNumber()) {
                return OptionalLong.of(value.decimalValue().longValueExact());
            }
        } catch (ArithmeticException e) {
            throw wrong(name, "a whole number of at most 64 bits");
        }
        throw wrong(name, "a whole number of at most 64 bits");
    }

    /** Returns whether it is there and true. */
    public boolean flag(String name) {
        JsonNode value = field(name);
        if (value != null && !value.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return value != null && value.booleanValue();
    }

    /** A whole number within bounds. */
    public long number(String name, long byDefault, long min, long max) {
        long number = number(name).orElse(byDefault);
        if (number < min || number > max) {
            throw wrong(name, min + ".." + max);
        }
        return number;
    }

    /** Like {@link #number(String, long, long, long)}, of a field that must be there. */
    public long requiredNumber(String name, long min, long max) {
        return number(name, number(name).orElseThrow(() -> wrong(name, "a whole number")), min, max);
    }

    /** Whole numbers of at most 32 bits; empty if the list is missing. */
    public Optional<Set<Integer>> integers(String name) {
        JsonNode value = field(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof ArrayNode array)) {
            throw wrong(name, "a list of numbers");
        }
        Set<Integer> numbers = new HashSet<>();
        for (JsonNode each : array) {
            try {
                if (each.isNumber() && numbers.add(each.decimalValue().intValueExact())) {
                    continue;
                }
            } catch (ArithmeticException e) {
                throw wrong(name, "whole numbers of at most 32 bits");
            }
            throw wrong(name, "a list of different numbers");
        }
        return Optional.of(numbers);
    }

    /** Texts, in their order, at most so many; empty if the list is missing. */
    public List<String> list(String name, int most) {
        JsonNode value = field(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof ArrayNode array) || array.size() > most) {
            throw wrong(name, "a list of texts, at most " + most);
        }
        List<String> texts = new ArrayList<>(array.size());
        for (JsonNode each : array) {
            texts.add(checked(name + "[" + texts.size() + "]", each));
        }
        return texts;
    }

    /** Names and texts, in their order; empty if it is missing. */
    public Map<String, String> texts(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        JsonNode value = field(name);
        if (value == null) {
            return texts;
        }
        if (!(value instanceof ObjectNode object)) {
            throw wrong(name, "an object of texts");
        }
        for (Map.Entry<String, JsonNode> each : object.properties()) {
            texts.put(each.getKey(), checked(name + "." + each.getKey(), each.getValue()));
        }
        return texts;
    }

    /** The objects of a list that must be there, and have no more than so many. */
    public List<JsonObject> objects(String name, int most) {
        if (!(field(name) instanceof ArrayNode array)) {
            throw wrong(name, "a list of objects");
        }
        if (array.size() > most) {
            throw wrong(name, "at most " + most);
        }
        List<JsonObject> objects = new ArrayList<>(array.size());
        for (JsonNode each : array) {
            String at = path + name + "[" + objects.size() + "]";
            if (!(each instanceof ObjectNode object)) {
                throw ProblemException.badRequest(at + " (expected: an object)");
            }
            objects.add(new JsonObject(at + ".", object));
        }
        return objects;
    }

    /** Refuses fields that have not been asked for. */
    public void end() {
        for (String name : (Iterable<String>) fields::fieldNames) {
            if (!asked.contains(name)) {
                throw ProblemException.badRequest("unknown field " + path + shown(name));
            }
        }
    }

    public ProblemException wrong(String name, String expected) {
        return ProblemException.badRequest("field " + path + shown(name) + " (expected: " + expected + ")");
    }

    /** Returns the beginning of a client's text: an answer must not be as large as its request. */
    static String shown(String text) {
        return text.codePointCount(0, text.length()) <= SHOWN
                ? text
                : text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "…";
    }
}
