// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.metadata.rows.RowText;
import org.talos.thrift.ErrorCode;

/**
 * The id of a member that joined over REST or by a stream. It has the kind and the lease, so that no server must keep
 * them. It begins as the SDKs' worker ids do: with the client's address, with underscores for dots, before the first
 * hyphen.
 *
 * <p>Immutable.
 *
 * @param leaseMillis longest silence
 */
record MemberId(String text, long leaseMillis) {
    /** Each sixth of a lease costs a round of balancing. */
    private static final long SHORTEST_LEASE_MILLIS = 1_000;

    /**
     * Bytes of an id in rows, where each lock of a member repeats it. The longest id of the public SDKs has about 150:
     * an address, a prefix of up to 80 characters, and 22 more.
     */
    static final int MAX_BYTES = 256;

    /** Returns a new id. */
    static MemberId create(MemberKind kind, String address, long leaseMillis) {
        String from = address.replaceAll("[^0-9A-Za-z:.]", "").replace('.', '_');
        String unique = HexFormat.of().toHexDigits(UUID.randomUUID().getLeastSignificantBits());
        String begin = (from.isEmpty() ? "_" : from) + "-" + kind.word();
        return new MemberId(begin + "-" + leaseMillis + "-" + unique, leaseMillis);
    }

    /**
     * Parses the id of a client's request, which may never have been a member's.
     *
     * @throws TalosException CONSUMER_NOT_EXIST: no id of this form
     */
    static MemberId parse(String text, long longestLeaseMillis) {
        long shortest = shortestLeaseMillis(longestLeaseMillis);
        Matcher found = MemberKind.GIVEN.matcher(text);
        return Optional.of(found)
                .filter(id -> id.matches() && fits(text))
                .map(id -> new MemberId(text, Math.min(Long.parseLong(id.group("lease")), longestLeaseMillis)))
                .filter(id -> id.leaseMillis >= shortest)
                .orElseThrow(MemberId::unknown);
    }

    /** Returns whether rows have room for an id that a client chose. */
    static boolean fits(String text) {
        return RowText.bytes(text) <= MAX_BYTES;
    }

    /** Returns how long a call of the member may wait for other servers: its lease is renewed only afterwards. */
    Duration patience() {
        return Duration.ofMillis(leaseMillis / 2);
    }

    /** Returns the shortest lease if this is the longest. */
    static long shortestLeaseMillis(long longestLeaseMillis) {
        return Math.min(SHORTEST_LEASE_MILLIS, longestLeaseMillis);
    }

    /**
     * Returns the longest silence of a worker, {@code otherwise} if it is an SDK's: at most that long, whatever its id
     * says.
     */
    static long leaseMillis(String worker, long otherwise) {
        Matcher found = MemberKind.GIVEN.matcher(worker);
        return found.matches() ? Math.min(Long.parseLong(found.group("lease")), otherwise) : otherwise;
    }

    static TalosException unknown() {
        return TalosException.refused(
                ErrorCode.CONSUMER_NOT_EXIST, "no such member: it left, or its lease is over; join again");
    }
}
