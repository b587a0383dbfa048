// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.config.ConsoleConfig;
import org.talos.thrift.ErrorCode;

/**
 * Sessions of people at a browser. A session exists only as its token, which the browser keeps in a cookie: id, key,
 * user, epoch, and the times of its begin and last use, with an HMAC under the user's secret. So every server that
 * knows the key accepts the token, and the session ends with the key. It also ends after a time without use, after a
 * longest time however much it is used, and when its user ends it ({@link SessionEnds}).
 *
 * <p>Use is written down by giving the browser a new token of the same session, which {@link #renewed} does not do for
 * each request. The old one stays good for its own time.
 *
 * <p>Thread-safe. Never blocks.
 */
public final class SessionTokens {
    /** No signature of a request is over such a text, nor any other token. */
    private static final String KIND = "talos session token 1\n";

    private static final String CSRF_KIND = "talos session csrf 1\n";
    private static final int ID_BYTES = 16;
    private static final int MAX_CHARACTERS = 1_000;
    /** The part of a session's idle time after which it is renewed. */
    private static final int RENEWED_PART = 20;

    private static final Duration RENEWED_AFTER_AT_MOST = Duration.ofMinutes(1);
    /** The time by which another server's clock may be ahead. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    private final KeyTable keys;
    private final SessionEnds ends;
    private final InstantSource clock;
    private final ConsoleConfig config;
    private final SecureRandom random;

    /** Sessions of users with these keys. */
    public SessionTokens(
            KeyTable keys, SessionEnds ends, InstantSource clock, ConsoleConfig config, SecureRandom random) {
        this.keys = keys;
        this.ends = ends;
        this.clock = clock;
        this.config = config;
        this.random = random;
    }

    /**
     * A session, as a token says it. Immutable; its text has neither token.
     *
     * @param csrf token that a page must send with each change; a page of another origin cannot read it
     * @param overTls whether the browser may send the token over TLS alone
     * @param token for the browser
     */
    public record Session(
            Principal user, String id, long epoch, String csrf, boolean overTls, String token, Lifetime lifetime) {
        /** Returns the end of the session's longest time, which use does not extend. */
        public Instant end() {
            return lifetime.end;
        }

        /** Returns whether the text is the session's {@link #csrf}. */
        public boolean hasCsrf(String text) {
            return MessageDigest.isEqual(csrf.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
        }

        /** Returns when it is over unless it is used before. */
        public Instant expires() {
            return lifetime.idleEnd.isBefore(lifetime.end) ? lifetime.idleEnd : lifetime.end;
        }

        @Override
        public String toString() {
            return "Session[user=" + user.userId() + ", expires=" + expires() + "]";
        }
    }

    /**
     * The time of a session. Immutable.
     *
     * @param renewed when it was last used, as far as the token knows
     * @param idleEnd when it is over unless it is renewed
     * @param end when it is over
     */
    public record Lifetime(Instant begun, Instant renewed, Instant idleEnd, Instant end) {}

    /** The claims of a token; times are seconds since 1970. Immutable. */
    private record Claims(
            long begun, long renewed, long epoch, boolean overTls, String id, String keyId, String userId) {
        private static final int FIELDS = 7;
        private static final Pattern NUMBER = Pattern.compile("[0-9]{1,12}");
        private static final String TLS = "tls";

        String text() {
            return String.join(
                    "\n",
                    Long.toString(begun),
                    Long.toString(renewed),
                    Long.toString(epoch),
                    overTls ? TLS : "",
                    id,
                    keyId,
                    userId);
        }

        static @Nullable Claims of(String text) {
            String[] fields = text.split("\n", FIELDS);
            if (fields.length != FIELDS) {
                return null;
            }
            for (int i = 0; i < 3; i++) {
                if (!NUMBER.matcher(fields[i]).matches()) {
                    return null;
                }
            }
            return new Claims(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    fields[3].equals(TLS),
                    fields[4],
                    fields[5],
                    fields[6]);
        }
    }

    /** Returns whether there are sessions at all. */
    public boolean areTaken() {
        return config.enabled();
    }

    /**
     * Begins a session.
     *
     * @param epoch of the user's sessions now: {@link SessionEnds#epoch}
     * @throws TalosException PERMISSION_DENIED_ERROR: the user's key is gone, or acts for somebody else
     */
    public Session begin(Principal user, long epoch, boolean overTls) {
        Optional<KeyTable.Entry> key = keys.key(user.keyId());
        if (user.actingFor() != null || key.isEmpty()) {
            throw TalosException.refused(
                    ErrorCode.PERMISSION_DENIED_ERROR, "a session is for the user who has the key");
        }
        byte[] id = new byte[ID_BYTES];
        random.nextBytes(id);
        long now = clock.instant().getEpochSecond();
        String name = Base64.getUrlEncoder().withoutPadding().encodeToString(id);
        return session(key.get(), new Claims(now, now, epoch, overTls, name, user.keyId(), user.userId()));
    }

    private Session session(KeyTable.Entry key, Claims claims) {
        String token = TokenMac.token(KIND, claims.text(), key.secret());
        return session(key, claims, token);
    }

    private Session session(KeyTable.Entry key, Claims claims, String token) {
        Instant begun = Instant.ofEpochSecond(claims.begun);
        Instant renewed = Instant.ofEpochSecond(claims.renewed);
        return new Session(
                key.principal(),
                claims.id,
                claims.epoch,
                TokenMac.of(CSRF_KIND, claims.id + "\n" + claims.keyId, key.secret()),
                claims.overTls,
                token,
                new Lifetime(begun, renewed, renewed.plus(config.sessionIdle()), begun.plus(config.sessionMax())));
    }

    /**
     * The session of a token.
     *
     * @throws AuthenticationException 401: it is none of ours, or the session is over
     */
    public Session check(String token) throws AuthenticationException {
        TokenMac.Parts parts = TokenMac.parts(token, MAX_CHARACTERS).orElseThrow(SessionTokens::wrong);
        Claims claims = Claims.of(parts.text());
        if (claims == null) {
            throw wrong();
        }
        Optional<KeyTable.Entry> key = keys.key(claims.keyId);
        if (!parts.matches(KIND, key.map(KeyTable.Entry::secret)) || key.isEmpty()) {
            throw wrong();
        }
        if (!key.get().principal().userId().equals(claims.userId)) {
            throw wrong();
        }
        Session session = session(key.get(), claims, token);
        Instant now = clock.instant();
        boolean fromLater = session.lifetime.renewed.isAfter(now.plus(CLOCKS));
        if (fromLater || !now.isBefore(session.expires()) || ends.isEnded(claims.userId, claims.epoch, claims.id)) {
            throw AuthenticationException.over("The session is over: sign in again.");
        }
        return session;
    }

    private static AuthenticationException wrong() {
        return AuthenticationException.unauthorized("The session is not known: sign in again.");
    }

    /**
     * The session with a new token, as it is being used; empty as long as the one that it has is new enough, or the
     * session could not continue for longer.
     */
    public Optional<Session> renewed(Session session) {
        Instant now = clock.instant();
        Duration part = config.sessionIdle().dividedBy(RENEWED_PART);
        Duration after = part.compareTo(RENEWED_AFTER_AT_MOST) < 0 ? part : RENEWED_AFTER_AT_MOST;
        Lifetime lifetime = session.lifetime;
        boolean isDue = !now.isBefore(lifetime.renewed.plus(after)) && lifetime.idleEnd.isBefore(lifetime.end);
        return isDue ? keys.key(session.user.keyId()).map(key -> renewed(key, session, now)) : Optional.empty();
    }

    private Session renewed(KeyTable.Entry key, Session session, Instant now) {
        return session(
                key,
                new Claims(
                        session.lifetime.begun.getEpochSecond(),
                        now.getEpochSecond(),
                        session.epoch,
                        session.overTls,
                        session.id,
                        session.user.keyId(),
                        session.user.userId()));
    }
}
