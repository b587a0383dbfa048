// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.user;

import java.util.Map;

/**
 * Which sessions of a user have been ended before their time. Immutable.
 *
 * @param epoch sessions that were begun in an earlier one have ended; 0 until a user ends all of them
 * @param ended single sessions by their ids, with the time (ms since 1970) from which they would be over anyhow
 */
public record EndedSessions(long epoch, Map<String, Long> ended) {
    /** The value for a user who has ended no session. */
    public static final EndedSessions NONE = new EndedSessions(0, Map.of());

    public EndedSessions {
        ended = Map.copyOf(ended);
    }
}
