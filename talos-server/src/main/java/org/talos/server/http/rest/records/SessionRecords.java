// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.records;

import java.time.Instant;
import java.util.Optional;
import org.talos.server.http.rest.description.Described;
import org.talos.server.http.rest.description.Schema;

/** Sessions of people at browsers. Immutable. */
public final class SessionRecords {
    private SessionRecords() {}

    /** The key by which somebody signs in. Immutable. */
    @Schema(closed = true)
    public record SignIn(
            String accessKey,
            @Described(format = "password") String secretKey) {}

    /** A user, and the session if there is one. Immutable; its text has no secret. */
    @Schema
    public record Session(
            String user,
            boolean admin,

            @Described("For the header Talos-Csrf; of a session only.")
            Optional<String> csrf,

            @Described("When the session is over unless it is used before; of a session only.")
            Optional<Instant> expires) {
        @Override
        public String toString() {
            return "Session[" + user + "]";
        }
    }
}
