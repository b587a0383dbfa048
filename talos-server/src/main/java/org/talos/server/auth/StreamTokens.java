// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * Tokens that open the event streams of a topic for clients that cannot send headers, such as a browser's
 * {@code EventSource}. A token has the user, the key, the topic, and its expiry, with an HMAC under the user's secret.
 * Every server that knows the key accepts it, no server stores it, and it ends with the key.
 *
 * <p>Thread-safe. Never blocks.
 */
public final class StreamTokens {
    /** The parameter of the query that has the token. */
    public static final String PARAMETER = "token";

    /** No signature of a request is over such a text, nor by this HMAC. */
    private static final String KIND = "talos stream token 1\nget\n";

    private static final Duration USUAL_AGE = Duration.ofSeconds(60);
    /** The time by which another server's clock may be ahead. */
    private static final Duration CLOCKS = Duration.ofMinutes(1);

    private static final int MAX_CHARACTERS = 1_000;
    private static final int FIELDS = 4;

    private final KeyTable keys;
    private final InstantSource clock;
    private final Duration maxAge;

    /** Tokens that live for {@code maxAge} at most. */
    public StreamTokens(KeyTable keys, InstantSource clock, Duration maxAge) {
        this.keys = keys;
        this.clock = clock;
        this.maxAge = maxAge;
    }

    /** A token. Immutable; its text has not the token. */
    public record Token(String token, Instant expires) {
        @Override
        public String toString() {
            return "Token[expires=" + expires + "]";
        }
    }

    /** The claims of a token. Immutable. */
    private record Claims(String expires, String keyId, String topic, String userId) {
        String text() {
            return String.join("\n", expires, keyId, topic, userId);
        }

        static @Nullable Claims of(String text) {
            String[] fields = text.split("\n", FIELDS);
            return fields.length == FIELDS && fields[0].matches("[0-9]{1,12}")
                    ? new Claims(fields[0], fields[1], fields[2], fields[3])
                    : null;
        }
    }

    /** Longest that a token may live. */
    public Duration maxAge() {
        return maxAge;
    }

    /** Returns the default lifetime of a token. */
    public Duration usualAge() {
        return maxAge.compareTo(USUAL_AGE) < 0 ? maxAge : USUAL_AGE;
    }

    /**
     * Makes a token; whether the user may get from the topic is for the caller to check.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR: the request acts for somebody else than the key's user
     */
    public Token make(Principal user, String topic, Duration age) {
        Optional<KeyTable.Entry> key = keys.key(user.keyId());
        if (user.actingFor() != null || key.isEmpty()) {
            throw TalosException.refused(
                    ErrorCode.PERMISSION_DENIED_ERROR, "a token is for the user whose key has signed");
        }
        Instant expires = Instant.ofEpochSecond(clock.instant().plus(age).getEpochSecond());
        Claims claims = new Claims(Long.toString(expires.getEpochSecond()), user.keyId(), topic, user.userId());
        return new Token(TokenMac.token(KIND, claims.text(), key.get().secret()), expires);
    }

    /**
     * Returns the principal of the token.
     *
     * @throws AuthenticationException 401: none of ours, of another topic, or expired
     */
    public Principal check(String token, String topic) throws AuthenticationException {
        TokenMac.Parts parts = TokenMac.parts(token, MAX_CHARACTERS).orElseThrow(StreamTokens::wrong);
        Claims claims = Claims.of(parts.text());
        if (claims == null) {
            throw wrong();
        }
        Optional<KeyTable.Entry> key = keys.key(claims.keyId);
        boolean matches = parts.matches(KIND, key.map(KeyTable.Entry::secret));
        if (!matches || key.isEmpty() || !claims.topic.equals(topic)) {
            throw wrong();
        }
        Principal user = key.get().principal();
        if (!user.userId().equals(claims.userId)) {
            throw wrong();
        }
        checkAge(Instant.ofEpochSecond(Long.parseLong(claims.expires)));
        return user;
    }

    private void checkAge(Instant expires) throws AuthenticationException {
        Instant now = clock.instant();
        if (!now.isBefore(expires)) {
            throw AuthenticationException.over("The token has expired: ask for a new one.");
        }
        if (expires.isAfter(now.plus(maxAge).plus(CLOCKS))) { // made with the secret, but not by a server
            throw AuthenticationException.unauthorized("The token lives longer than this server allows.");
        }
    }

    private static AuthenticationException wrong() {
        return AuthenticationException.unauthorized("The token is wrong, or of another topic.");
    }
}
