// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Problem;

/** The form in which the server's messages are written, by the stream's subprotocol. Immutable. */
interface StreamFormat {
    /** Returns whether the messages are texts. */
    boolean isText();

    ByteBuffer opened(StreamTerms terms);

    /** Puts that are stored. */
    ByteBuffer stored(List<InFlightPut> puts);

    ByteBuffer refused(InFlightPut put, Problem problem);

    ByteBuffer credit(int bytes);

    /** The end of a subscription. */
    ByteBuffer ended(int partition, Problem problem);

    /** @param serves whether a client that stays is served */
    ByteBuffer move(int afterMillis, boolean serves);

    ByteBuffer joined(String member, long leaseMillis);

    /**
     * A partition of the group's is the member's.
     *
     * @param offset from which it comes
     * @param missed number of earlier messages that had expired unread
     */
    ByteBuffer assigned(int partition, long offset, long missed);

    /** A partition must be released; messages that were sent may be committed for this time. */
    ByteBuffer revoking(int partition, long millis);

    /** A partition is the member's no more. */
    ByteBuffer revoked(int partition);

    ByteBuffer committed(int partition, long offset);

    ByteBuffer commitRefused(int partition, long offset, Problem problem);

    /** The end of the membership; null if that was asked for. */
    ByteBuffer left(@Nullable Problem problem);
}
