// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.runtime.time.Ticker;

/**
 * Remembers the rows of groups that were read or written lately, so that the renewals of many idle members cost neither
 * a read nor a write. Also remembers which members have shown that they are alive since: the next write of a row renews
 * the leases of all of them.
 *
 * <p>Thread-safe.
 */
public final class RememberedGroups {
    /** A row answers renewals for this part of a worker's lease, and for no longer than that. */
    private static final int AGE_SHARE = 6;

    private static final Duration LONGEST_AGE = Duration.ofSeconds(5);
    /**
     * The time for which a row answers calls for the members: workers that balance among themselves wait for a newer
     * one.
     */
    private static final Duration AGE_OF_MEMBERS = Duration.ofSeconds(1);

    private final Ticker ticker;
    private final LongSupplier suspensions;
    private final BooleanSupplier isCompared;
    private final long ttlMillis;
    private final long ageNanos;
    private final long ageOfMembersNanos;
    private final Cache<Key, RememberedGroup> groups;

    /** A group on a topic. Immutable. */
    private record Key(String topicId, String group) {}

    /**
     * Remembers nothing yet.
     *
     * @param suspensions a number that changes when this machine seems to have been suspended
     * @param isCompared whether the time is known well enough to say that a lease has not ended
     * @param ttl after which a worker has expired
     * @param maxBytes of heap, about
     */
    public RememberedGroups(
            Ticker ticker, LongSupplier suspensions, BooleanSupplier isCompared, Duration ttl, long maxBytes) {
        this.ticker = ticker;
        this.suspensions = suspensions;
        this.isCompared = isCompared;
        ttlMillis = ttl.toMillis();
        ageNanos = Math.min(LONGEST_AGE.toNanos(), ttl.toNanos() / AGE_SHARE);
        ageOfMembersNanos = Math.min(ageNanos, AGE_OF_MEMBERS.toNanos());
        groups = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Key key, RememberedGroup group) -> group.bytes())
                .expireAfterWrite(ttl)
                .ticker(ticker::nanos)
                .executor(Runnable::run) // no thread of the JVM's common pool
                .build();
    }

    /** Remembers a row, unless a newer one is known. Names the time and the suspensions from before it was read. */
    public void remember(String topicId, String group, Versioned<GroupRecord> row, Moment begun) {
        groups.asMap().compute(new Key(topicId, group), (key, before) -> {
            long known = before == null ? 0 : before.row().version();
            if (before == null || known < row.version()) {
                return new RememberedGroup(row, before, ttlMillis, begun);
            }
            if (known == row.version() && before.read().nanos() - begun.nanos() < 0) {
                before.readAgain(begun);
            }
            return before;
        });
    }

    /** When a read or a write began. Immutable. */
    public record Moment(long nanos, long suspensions) {}

    /** Returns this moment. */
    public Moment now() {
        return new Moment(ticker.nanos(), suspensions.getAsLong());
    }

    /** Forgets a group, whose row is gone, or may have been written. */
    public void forget(String topicId, String group) {
        groups.invalidate(new Key(topicId, group));
    }

    /** Returns a row by which a lease may be renewed; empty if none is known, or the time is not known well enough. */
    public Optional<RememberedGroup> forRenewal(String topicId, String group) {
        return known(topicId, group, ageNanos);
    }

    /** Returns a row with the group's members. */
    public Optional<RememberedGroup> forMembers(String topicId, String group) {
        return known(topicId, group, ageOfMembersNanos);
    }

    private Optional<RememberedGroup> known(String topicId, String group, long mostAgeNanos) {
        return Optional.ofNullable(groups.getIfPresent(new Key(topicId, group)))
                .filter(known -> known.read().suspensions() == suspensions.getAsLong()
                        && ticker.nanos() - known.read().nanos() <= mostAgeNanos
                        && isCompared.getAsBoolean());
    }

    /** Returns the row that was read or written last, however long ago. */
    public Optional<Versioned<GroupRecord>> row(String topicId, String group) {
        return Optional.ofNullable(groups.getIfPresent(new Key(topicId, group))).map(RememberedGroup::row);
    }

    /** Notes that a member has shown that it is alive, if its group is known. */
    public void hear(String topicId, String group, String member, long nowMillis) {
        Optional.ofNullable(groups.getIfPresent(new Key(topicId, group)))
                .ifPresent(known -> known.hear(member, nowMillis));
    }

    /** Returns which members have shown that they are alive, and when, ms since 1970. */
    public Map<String, Long> heard(String topicId, String group) {
        return Optional.ofNullable(groups.getIfPresent(new Key(topicId, group)))
                .map(RememberedGroup::heard)
                .orElse(Map.of());
    }
}
