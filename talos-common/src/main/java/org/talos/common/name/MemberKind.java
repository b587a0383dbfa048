// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** By what a member has joined its consumer group, which its name says: nothing else of it is stored. */
public enum MemberKind {
    /** As a worker of an SDK, which names itself. */
    SDK,
    /** Over REST. */
    REST,
    /** By a stream. */
    STREAM;

    /** The names that servers give, with the {@code kind} and the {@code lease} in ms. */
    public static final Pattern GIVEN =
            Pattern.compile("[^-]{1,100}-(?<kind>rest|stream)-(?<lease>[0-9]{1,9})-[0-9a-f]{16}");

    /** The kind of the member of a name; whatever has another form is an SDK's. */
    public static MemberKind of(String member) {
        Matcher given = GIVEN.matcher(member);
        return given.matches() ? valueOf(given.group("kind").toUpperCase(Locale.ROOT)) : SDK;
    }

    /** As it stands in names, and is shown. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
