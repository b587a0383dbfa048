// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;

/** Reads the conditions of a search, which a client gives as a list in JSON. Confined: one list. */
final class ConditionParser {
    static final int MAX_CHARACTERS = 4_096;
    private static final int MOST = 16;
    private static final int MAX_TEXT_CHARACTERS = 1_024;
    private static final int MAX_PATTERN_CHARACTERS = 256;

    /** Of all expressions together: for each byte that they search, they take up to this number of steps. */
    private static final int MAX_INSTRUCTIONS = 1_024;

    private int instructions;

    private ConditionParser() {}

    /**
     * Reads a list.
     *
     * @throws ProblemException 400
     */
    static List<SearchCondition> parse(String text) {
        JsonObject list = read(text);
        List<JsonObject> conditions = list.objects("where", MOST);
        list.end();
        ConditionParser parser = new ConditionParser();
        return conditions.stream().map(parser::condition).toList();
    }

    private static JsonObject read(String text) {
        if (text.length() > MAX_CHARACTERS) {
            throw wrong();
        }
        try {
            return Json.readObject(StandardCharsets.UTF_8.encode("{\"where\":" + text + "}"));
        } catch (ProblemException e) {
            throw wrong();
        }
    }

    private static ProblemException wrong() {
        return ProblemException.badRequest("parameter where (expected: a list in JSON of at most " + MAX_CHARACTERS
                + " characters, such as [{\"field\":\"key\",\"is\":\"contains\",\"text\":\"order-\"}])");
    }

    private SearchCondition condition(JsonObject json) {
        Optional<TextTest> test = test(json);
        SearchCondition condition = switch (json.requiredText("field")) {
            case "key" -> new SearchCondition.Key(test);
            case "value" -> new SearchCondition.Value(test);
            case "header" -> new SearchCondition.Header(json.requiredText("name"), test);
            case "json" -> new SearchCondition.Field(place(json, test), test);
            default -> throw json.wrong("field", "key, value, header, or json");
        };
        boolean isNegated = json.flag("not");
        json.end();
        return isNegated ? new SearchCondition.Not(condition) : condition;
    }

    private static JsonCondition place(JsonObject json, Optional<TextTest> test) {
        JsonCondition place = JsonCondition.parse(json.requiredText("name"), "path in parameter where");
        if (test.isPresent() && place.comparison().isPresent()) {
            throw json.wrong("name", "a path without a comparison, which only exists takes");
        }
        return place;
    }

    private Optional<TextTest> test(JsonObject json) {
        return switch (json.requiredText("is")) {
            case "exists" -> Optional.empty();
            case "equals" -> Optional.of(new TextTest.Equal(utf8(json, 0)));
            case "contains" -> {
                ByteBuffer part = utf8(json, 1);
                byte[] bytes = new byte[part.remaining()];
                part.get(bytes);
                yield Optional.of(new TextTest.Containing(new BytePattern(bytes)));
            }
            case "matches" -> Optional.of(new TextTest.Matching(pattern(json)));
            default -> throw json.wrong("is", "equals, contains, matches, or exists");
        };
    }

    private static ByteBuffer utf8(JsonObject json, int least) {
        String text = json.requiredText("text");
        if (text.length() < least || text.length() > MAX_TEXT_CHARACTERS) {
            throw json.wrong("text", least + ".." + MAX_TEXT_CHARACTERS + " characters");
        }
        return StandardCharsets.UTF_8.encode(text);
    }

    /** Counted repetitions are refused: they make a short pattern a large one. */
    private Pattern pattern(JsonObject json) {
        String text = json.requiredText("text");
        if (text.length() > MAX_PATTERN_CHARACTERS || text.indexOf('{') >= 0) {
            throw json.wrong(
                    "text", "a regular expression of at most " + MAX_PATTERN_CHARACTERS + " characters, without {");
        }
        try {
            Pattern pattern = Pattern.compile(text);
            instructions += pattern.programSize();
            if (instructions > MAX_INSTRUCTIONS) {
                throw json.wrong("text", "simpler expressions, of " + MAX_INSTRUCTIONS + " instructions together");
            }
            return pattern;
        } catch (PatternSyntaxException e) {
            throw json.wrong("text", "a regular expression of RE2: " + e.getDescription());
        }
    }
}
