// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.security.SecureRandom;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.config.AuthConfig;
import org.talos.server.config.ConsoleConfig;

/**
 * The ways to authenticate a request, all with the same keys. Immutable.
 *
 * @param authenticator by a signature, or key and secret
 * @param tokens by a token for event streams
 * @param sessions by a browser's session
 * @param requiresDigest whether signed requests over REST that may change something need a digest
 */
public record Authentication(
        Authenticator authenticator, StreamTokens tokens, SessionTokens sessions, boolean requiresDigest) {
    /** Authenticates by the keys of a server's users, as far as they are known to it. */
    public static Authentication of(
            KeyTable keys, SessionEnds ends, InstantSource clock, AuthConfig config, ConsoleConfig console) {
        return new Authentication(
                new Authenticator(keys, clock, config.clockTolerance()),
                new StreamTokens(keys, clock, config.maxStreamTokenAge()),
                new SessionTokens(keys, ends, clock, console, new SecureRandom()),
                config.requireRequestDigest());
    }

    /**
     * Returns the sender of a request as known now, for requests that continue after they were authenticated: its
     * rights may be others by then.
     *
     * @param session by which the request came; null if it came by other credentials
     * @throws AuthenticationException 401: the key, or the session, is over
     */
    public Principal stillKnown(Principal sender, @Nullable Session session) throws AuthenticationException {
        if (session != null) {
            return sessions.check(session.token()).user();
        }
        return sender.equals(Principal.NOBODY) ? sender : authenticator.stillKnown(sender);
    }
}
