// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.security.SecureRandom;
import java.time.InstantSource;
import org.talos.server.config.AuthConfig;
import org.talos.server.config.ConsoleConfig;

/**
 * All that says who a request comes from, by the same keys. Immutable.
 *
 * @param authenticator by a signature, or key and secret
 * @param tokens by a token for event streams
 * @param sessions by a browser's session
 * @param requiresDigest whether signed requests over REST that may change something need a digest
 */
public record Authentication(
        Authenticator authenticator, StreamTokens tokens, SessionTokens sessions, boolean requiresDigest) {
    /** By the keys of a server's users, as they are known to it. */
    public static Authentication of(
            KeyTable keys, SessionEnds ends, InstantSource clock, AuthConfig config, ConsoleConfig console) {
        return new Authentication(
                new Authenticator(keys, clock, config.clockTolerance()),
                new StreamTokens(keys, clock, config.maxStreamTokenAge()),
                new SessionTokens(keys, ends, clock, console, new SecureRandom()),
                config.requireRequestDigest());
    }
}
