// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.search.JsonCondition.Comparison;
import org.talos.server.http.rest.search.JsonCondition.Operator;
import org.talos.server.http.rest.search.JsonCondition.Step;

/** Reads the text of a {@link JsonCondition}. Confined: one text. */
final class JsonConditionParser {
    static final int MAX_NUMBER_CHARACTERS = 100;
    static final int MAX_CHARACTERS = 1_024;
    private static final int MAX_STEPS = 32;
    private static final int MAX_INDEX_DIGITS = 9;
    private static final String ENDS_OF_NAMES = ".[]()=!<>'\"* \t";

    private final String text;
    private final String source;
    private int at;

    /** @param source of the text, for problems */
    JsonConditionParser(String text, String source) {
        this.text = text;
        this.source = source;
    }

    JsonCondition condition() {
        if (text.length() > MAX_CHARACTERS) {
            throw ProblemException.badRequest(source + " (expected: at most " + MAX_CHARACTERS + " characters)");
        }
        if (!takes("$")) {
            throw wrong("$, the message itself");
        }
        List<Step> steps = new ArrayList<>();
        while (at < text.length() && (text.charAt(at) == '.' || text.charAt(at) == '[')) {
            if (steps.size() == MAX_STEPS) {
                throw wrong("at most " + MAX_STEPS + " steps");
            }
            steps.add(takes(".") ? afterDot() : inBrackets());
        }
        skipSpace();
        return new JsonCondition(steps, at == text.length() ? Optional.empty() : Optional.of(comparison()));
    }

    private boolean takes(String expected) {
        boolean found = text.startsWith(expected, at);
        at += found ? expected.length() : 0;
        return found;
    }

    private void skipSpace() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private Step afterDot() {
        if (takes("*")) {
            return new Step.Any();
        }
        int begin = at;
        while (at < text.length() && ENDS_OF_NAMES.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (at == begin) {
            throw wrong("a name, or *; other names as ['a name']");
        }
        return new Step.Name(text.substring(begin, at));
    }

    private Step inBrackets() {
        at++;
        Step step;
        if (takes("*")) {
            step = new Step.Any();
        } else if (takes("'")) {
            step = quoted('\'');
        } else if (takes("\"")) {
            step = quoted('"');
        } else {
            step = index();
        }
        if (!takes("]")) {
            throw wrong("]");
        }
        return step;
    }

    private Step quoted(char quote) {
        int end = text.indexOf(quote, at);
        if (end < 0) {
            throw wrong(quote + ", the end of the name");
        }
        Step step = new Step.Name(text.substring(at, end));
        at = end + 1;
        return step;
    }

    private Step index() {
        int begin = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == begin || at - begin > MAX_INDEX_DIGITS) {
            throw wrong("a number from 0 on, * or a name in quotes");
        }
        return new Step.Index(Integer.parseInt(text.substring(begin, at)));
    }

    private Comparison comparison() {
        Operator operator = operator();
        skipSpace();
        if (at == text.length()) {
            throw noValue();
        }
        JsonNode value;
        try {
            value = Json.read(ByteBuffer.wrap(text.substring(at).getBytes(StandardCharsets.UTF_8)));
        } catch (ProblemException e) {
            throw noValue();
        }
        if (value.isContainerNode()) {
            throw wrong("one value: no list and no object");
        }
        return new Comparison(operator, value);
    }

    private ProblemException noValue() {
        return wrong("a value as JSON: \"text\", 17, true, false or null");
    }

    private Operator operator() {
        if (takes("==")) {
            return Operator.EQUAL;
        }
        if (takes("!=")) {
            return Operator.NOT_EQUAL;
        }
        if (takes("<=")) {
            return Operator.AT_MOST;
        }
        if (takes("<")) {
            return Operator.LESS;
        }
        if (takes(">=")) {
            return Operator.AT_LEAST;
        }
        if (takes(">")) {
            return Operator.GREATER;
        }
        throw wrong(".name, [0], ==, !=, <, <=, > or >=");
    }

    private ProblemException wrong(String expected) {
        return ProblemException.badRequest(source + ", character " + (at + 1) + " (expected: " + expected + ")");
    }
}
