// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.user.EndedSessions;
import org.talos.server.metadata.rows.user.UserSessions;

/**
 * The sessions that were ended early: a row for each user who has ended one, also in memory. If a user's row cannot be
 * read, all of the user's sessions count as ended, unless the row's earlier contents are known.
 *
 * <p>A user has a row of bounded size: when more sessions would have to be remembered than that allows, all of the
 * user's end.
 *
 * <p>Thread-safe. {@link #epoch} and {@link #isEnded} never wait; every other call blocks, one after another.
 */
public final class SessionEnds {
    /** Single sessions that are remembered as ended, of a user. */
    static final int MAX_ENDED = 500;

    private static final EndedSessions UNREADABLE = new EndedSessions(Long.MAX_VALUE, Map.of());
    private static final int MAX_TRIES = 20;

    private final UserSessions sessions;
    private final InstantSource clock;
    private final Object change = new Object();
    private volatile Map<String, EndedSessions> byUser = Map.of(); // replaced as a whole

    private SessionEnds(UserSessions sessions, InstantSource clock) {
        this.sessions = sessions;
        this.clock = clock;
    }

    /** Reads the rows. */
    public static SessionEnds load(UserSessions sessions, InstantSource clock) throws MetadataException {
        SessionEnds ends = new SessionEnds(sessions, clock);
        var unused = ends.refresh();
        return ends;
    }

    /**
     * Reads the rows again: other servers may have changed them.
     *
     * @return why the rows that cannot be read cannot be, by whose they are
     * @throws MetadataException the rows cannot be listed
     */
    public SortedMap<String, MetadataException> refresh() throws MetadataException {
        synchronized (change) {
            Map<String, MetadataException> unreadable = new HashMap<>();
            Map<String, EndedSessions> read = new HashMap<>(sessions.list(unreadable));
            Map<String, EndedSessions> before = byUser;
            unreadable.keySet().forEach(user -> read.put(user, before.getOrDefault(user, UNREADABLE)));
            byUser = Map.copyOf(read);
            SortedMap<String, MetadataException> stale = new TreeMap<>();
            unreadable.forEach((user, why) -> stale.put("sessions of user " + user, why));
            return stale;
        }
    }

    /** Returns whether a session has been ended, as far as this server knows. */
    boolean isEnded(String userId, long epoch, String sessionId) {
        EndedSessions ended = byUser.getOrDefault(userId, EndedSessions.NONE);
        return epoch < ended.epoch() || ended.ended().containsKey(sessionId);
    }

    /** The epoch in which a user's sessions begin now, read from the row. */
    public long epoch(String userId) throws MetadataException {
        synchronized (change) {
            EndedSessions row = sessions.find(userId).map(Versioned::value).orElse(EndedSessions.NONE);
            know(userId, row);
            return row.epoch();
        }
    }

    /**
     * Ends one session.
     *
     * @param until when it would be over anyhow
     */
    public void end(String userId, String sessionId, Instant until) throws MetadataException {
        write(userId, row -> {
            long now = clock.millis();
            Map<String, Long> ended = new HashMap<>(row.ended());
            ended.values().removeIf(over -> over <= now);
            ended.put(sessionId, until.toEpochMilli());
            return ended.size() > MAX_ENDED
                    ? new EndedSessions(row.epoch() + 1, Map.of())
                    : new EndedSessions(row.epoch(), ended);
        });
    }

    /** Ends all sessions of a user that have begun. */
    public void endAll(String userId) throws MetadataException {
        write(userId, row -> new EndedSessions(row.epoch() + 1, Map.of()));
    }

    /** Changes a row; here it is so at once, whatever becomes of the write. */
    private void write(String userId, UnaryOperator<EndedSessions> step) throws MetadataException {
        synchronized (change) {
            for (int i = 0; i < MAX_TRIES; i++) {
                Optional<Versioned<EndedSessions>> found = sessions.find(userId);
                EndedSessions row = step.apply(found.map(Versioned::value).orElse(EndedSessions.NONE));
                know(userId, row);
                if (sessions.save(userId, row, found.map(Versioned::version).orElse(0L))) {
                    return;
                }
            }
        }
        throw new MetadataException(
                Reason.BUSY, Effect.NONE, "the sessions of user " + userId + " change all the time");
    }

    @GuardedBy("change")
    private void know(String userId, EndedSessions row) {
        Map<String, EndedSessions> changed = new HashMap<>(byUser);
        changed.put(userId, row);
        byUser = Map.copyOf(changed);
    }
}
