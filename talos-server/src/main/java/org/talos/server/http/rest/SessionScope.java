// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.http.rest.json.ProblemException;

/** The sessions of a request. Confined: one request. */
public final class SessionScope {
    private static final String SET_COOKIE = "Set-Cookie";

    /** The header of requests that a page makes by itself, which are no use of its session. */
    private static final String BACKGROUND_HEADER = "Talos-Background";

    private final SessionTokens tokens;
    private final Authenticator authenticator;
    private final Credentials credentials;
    private final Request request;
    private final @Nullable Session current;

    SessionScope(
            SessionTokens tokens,
            Authenticator authenticator,
            Credentials credentials,
            Request request,
            @Nullable Session current) {
        this.tokens = tokens;
        this.authenticator = authenticator;
        this.credentials = credentials;
        this.request = request;
        this.current = current;
    }

    /**
     * Marks an answer to a session as private, and gives the browser a newer token if the request counts as use of the
     * session. Opening a stream does not count: pages reopen streams by themselves, and cannot say so.
     *
     * @param used the session by whose cookie the request came; null if it came by other credentials
     * @param response has its status, and gets its other headers later
     */
    static void renew(SessionTokens tokens, @Nullable Session used, Request request, Response response) {
        if (used == null) {
            return;
        }
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        boolean byItself = response.getStatus() == HttpStatus.SWITCHING_PROTOCOLS_101
                || request.getHeaders().contains(BACKGROUND_HEADER);
        if (!byItself) {
            tokens.renewed(used).ifPresent(session -> response.getHeaders().put(SET_COOKIE, SessionCookie.of(session)));
        }
    }

    /** Returns whether the request has the cookie of a session, whatever that is worth. */
    public boolean isSent() {
        return !SessionCookie.tokens(request).isEmpty();
    }

    /** The session by whose cookie the request came; empty if it came by other credentials. */
    public Optional<Session> current() {
        return Optional.ofNullable(current);
    }

    /**
     * Checks that this request may begin a session.
     *
     * @throws ProblemException 404: there are no sessions; 403: the request comes from a page of another origin, or
     *     over a connection that others can listen to
     */
    public void requireSignIn() {
        if (!tokens.areTaken()) {
            throw ProblemException.refused(404, "not-found", "the console is switched off here (console.enabled)");
        }
        if (!OwnOrigin.has(request)) {
            throw Credentials.foreign();
        }
        if (!OwnOrigin.isOverTls(request) && !credentials.isNear(request)) {
            throw ProblemException.refused(
                    403,
                    "not-private",
                    "key and secret are taken over TLS or from this machine only: open the console by https"
                            + Credentials.SETTINGS);
        }
    }

    /**
     * Returns the user of this key and secret.
     *
     * @throws ProblemException 401
     */
    public Principal user(String accessKey, String secretKey) {
        try {
            return authenticator.authenticate(accessKey, secretKey);
        } catch (AuthenticationException e) {
            throw new ProblemException(RequestProblems.ofAuthentication(e));
        }
    }

    /**
     * Begins a session.
     *
     * @param epoch of the user's sessions now
     */
    public Session begin(Principal user, long epoch) {
        return tokens.begin(user, epoch, OwnOrigin.isOverTls(request));
    }

    /** An answer by which the browser keeps the session's token. */
    public static RestAnswer keeping(RestAnswer answer, Session session) {
        return answer.with(SET_COOKIE, SessionCookie.of(session)).with("Cache-Control", "no-store");
    }

    /** An answer by which the browser forgets the token. */
    public static RestAnswer forgetting(RestAnswer answer) {
        return answer.with(SET_COOKIE, SessionCookie.forgotten());
    }
}
