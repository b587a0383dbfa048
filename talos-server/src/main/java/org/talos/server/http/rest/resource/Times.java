// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Instant;
import java.time.ZoneOffset;
import org.talos.common.time.TimeText;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.ProblemException;

/** Points of time as clients write them; days are those of UTC. Immutable. */
final class Times {
    private Times() {}

    /**
     * Milliseconds since 1970.
     *
     * @param request that has it; «an hour ago» is counted from when it came
     * @throws ProblemException 400: not of a form of {@link TimeText}
     */
    static long parse(String text, RestRequest request) {
        return TimeText.parse(text, Instant.ofEpochMilli(request.nowMillis()), ZoneOffset.UTC)
                .orElseThrow(() -> ProblemException.badRequest("not a time (expected: " + TimeText.EXPECTED + ")"))
                .toEpochMilli();
    }
}
