// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.talos.common.error.TalosException;
import org.talos.server.partition.serving.Failures;

/**
 * A regular expression over whole topic names, from a client: so its work is bounded. Counted repetitions are refused,
 * as their work cannot be counted in characters read.
 *
 * <p>Immutable.
 */
final class TopicPattern {
    private static final int MAX_CHARACTERS = 256;
    private static final int MAX_STEPS = 100_000;

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

    /**
     * Whether the pattern describes the whole name.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS: finding out takes too many steps
     */
    boolean matches(String name) {
        return pattern.matcher(new CountedText(name)).matches();
    }

    /** A text that counts how often its characters are read, and fails beyond a bound. */
    private static final class CountedText implements CharSequence {
        private final String text;
        private int steps;

        CountedText(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            if (++steps > MAX_STEPS) {
                throw Failures.invalid("pattern: takes too many steps");
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
