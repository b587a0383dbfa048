// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.topic;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Records for tests. Immutable. */
public final class Records {
    private static final String ID = "0123456789abcdef0123456789abcd";

    private Records() {}

    /** A topic whose id ends with two hex digits of the number. */
    public static TopicRecord topic(String name, int number) {
        return new TopicRecord(
                name,
                topicId(number),
                "CL8888",
                8,
                8,
                86_400,
                Map.of(),
                Map.of("CI1", 5),
                1_700_000_000_000L,
                0,
                null,
                null,
                List.of());
    }

    /** The id of that topic. */
    public static String topicId(int number) {
        return ID + String.format(Locale.ROOT, "%02x", number);
    }
}
