// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import org.talos.server.http.rest.json.ProblemException;

/** Instants as clients write them. Immutable. */
final class Times {
    private Times() {}

    /**
     * Milliseconds since 1970.
     *
     * @throws ProblemException 400: not RFC 3339 with an offset
     */
    static long parse(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw ProblemException.badRequest("a time like 2026-01-31T12:00:00Z is needed");
        }
    }
}
