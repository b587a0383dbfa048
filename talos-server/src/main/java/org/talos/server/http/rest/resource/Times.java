// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.regex.Pattern;
import org.talos.common.time.TimeText;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.ProblemException;

/** Points of time as clients write them; days are those of UTC. Immutable. */
final class Times {
    /** How a query reads where {@code +} is not escaped: {@code 2026-01-31T12:00:00 01:00}. */
    private static final Pattern UNESCAPED_PLUS =
            Pattern.compile("^(\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}[:.\\d]{0,32}) (\\d{2}(?::?\\d{2})?)$");

    private Times() {}

    /**
     * Milliseconds since 1970.
     *
     * @param request that has it; "an hour ago" is counted from when it came
     * @throws ProblemException 400: not of a form of {@link TimeText}
     */
    static long parse(String text, RestRequest request) {
        return TimeText.parse(
                        UNESCAPED_PLUS.matcher(text).replaceFirst("$1+$2"),
                        Instant.ofEpochMilli(request.nowMillis()),
                        ZoneOffset.UTC)
                .orElseThrow(() -> ProblemException.badRequest("not a time (expected: " + TimeText.EXPECTED + ")"))
                .toEpochMilli();
    }
}
