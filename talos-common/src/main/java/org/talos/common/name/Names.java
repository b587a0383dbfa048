// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.regex.Pattern;

/** The rule for names that users choose: topics, consumer groups, clients. Immutable. */
public final class Names {
    /** The rule, for the sentence that refuses a name: "a name has …". */
    public static final String EXPECTED =
            "1 to 80 of [a-zA-Z0-9_-], the first one a letter or digit, the last one not _";

    private static final int MAX_CHARACTERS = 80;
    private static final Pattern RULE = Pattern.compile("^(?![_-])[a-zA-Z0-9_-]+(?<!_)$");

    private Names() {}

    /**
     * Returns whether a name is 1 to 80 of {@code [a-zA-Z0-9_-]}, not beginning with {@code _} or {@code -}, not ending
     * with {@code _}.
     */
    public static boolean isValid(String name) {
        return name.length() <= MAX_CHARACTERS && RULE.matcher(name).matches();
    }
}
