// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.talos.server.partition.serving.Failures;

/**
 * A regular expression over whole topic names, of RE2's syntax, from a client: so its work grows with the name's length
 * alone. Counted repetitions are refused: they make a short pattern a large one.
 *
 * <p>Immutable.
 */
final class TopicPattern {
    private static final int MAX_CHARACTERS = 256;

    private final Pattern pattern;

    private TopicPattern(Pattern pattern) {
        this.pattern = pattern;
    }

    /** INVALID_TOPIC_PARAMS if it is none that is taken. */
    static TopicPattern parse(String text) {
        if (text.length() > MAX_CHARACTERS || text.indexOf('{') >= 0) {
            throw Failures.invalid("pattern: up to " + MAX_CHARACTERS + " characters, without {");
        }
        try {
            return new TopicPattern(Pattern.compile(text));
        } catch (PatternSyntaxException e) {
            throw Failures.invalid("pattern: " + e.getDescription());
        }
    }

    /** Returns whether the pattern describes the whole name. */
    boolean matches(String name) {
        return pattern.matches(name);
    }
}
