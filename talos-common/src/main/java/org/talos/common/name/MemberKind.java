// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The way in which a member has joined its consumer group. Its name has it: nothing else of it is stored. */
public enum MemberKind {
    /** A member of an SDK, which names itself. */
    SDK,
    /** Over REST. */
    REST,
    /** A member on a stream. */
    STREAM;

    /** The names that servers give, with the {@code kind} and the {@code lease} in ms. */
    public static final Pattern GIVEN =
            Pattern.compile("[^-]{1,100}-(?<kind>rest|stream)-(?<lease>[0-9]{1,9})-[0-9a-f]{16}");

    /** Returns the kind of the member of a name; whatever has another form is an SDK's. */
    public static MemberKind of(String member) {
        Matcher given = GIVEN.matcher(member);
        return given.matches() ? valueOf(given.group("kind").toUpperCase(Locale.ROOT)) : SDK;
    }

    /** Returns the word that names have and users see. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
