// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestDigest;
import org.talos.server.auth.Authentication;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.auth.SignedRequest;
import org.talos.server.auth.StreamTokens;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.http.SignedHeaders;
import org.talos.server.http.client.RequestClient;
import org.talos.server.http.rest.json.ProblemException;

/**
 * Authenticates the sender of a request: by its signature, by HTTP Basic on connections without eavesdroppers, for an
 * event stream by a token, or else by the cookie of a session. A browser sends the cookie with any request, whichever
 * page causes it. So the cookie counts only in requests of the server's own pages, and in requests that may change
 * something only with the session's CSRF token.
 *
 * <p>Thread-safe.
 */
final class Credentials {
    /** The header with the token by which a page shows that it may act for the session. */
    static final String CSRF_HEADER = "Talos-Csrf";

    /** The settings by which an operator changes whose key and secret are taken. */
    static final String SETTINGS =
            " (http.trustedProxies: TLS at a proxy; http.plainCredentialsFrom: networks without TLS)";

    private static final String BASIC = "basic ";
    private static final String CHALLENGE = "Basic realm=\"talos\", charset=\"UTF-8\"";

    /** The challenge that avoids the browser's dialog for a name and a password in the middle of a page. */
    private static final String NO_DIALOG = "Galaxy-V3";

    private static final String UNPROTECTED =
            "a signed request that may change something, or that has Attached-Info, needs the header "
                    + RequestDigest.HEADER + " over its query and headers (auth.requireRequestDigest)";

    private static final String FETCH_MODE = "Sec-Fetch-Mode";

    private final Authenticator authenticator;
    private final StreamTokens tokens;
    private final SessionTokens sessions;
    private final boolean requiresDigest;
    private final AddressRanges plainNetworks;

    /** @param plainNetworks from which key and secret are taken without TLS */
    Credentials(Authentication authentication, AddressRanges plainNetworks) {
        this.plainNetworks = plainNetworks;
        authenticator = authentication.authenticator();
        tokens = authentication.tokens();
        sessions = authentication.sessions();
        requiresDigest = authentication.requiresDigest();
    }

    /**
     * The authenticated sender, and the checks of the body that are still open. Immutable.
     *
     * @param signed whose MD5 the body must have; null if the credentials say nothing of the body
     * @param session by whose cookie it came; null if it came by other credentials
     */
    record Caller(
            Principal principal,
            @Nullable SignedRequest signed,
            @Nullable Session session) {
        Caller(Principal principal, @Nullable SignedRequest signed) {
            this(principal, signed, null);
        }
    }

    /**
     * Checks the headers.
     *
     * @throws AuthenticationException 401, or 412 for the client's clock
     * @throws ProblemException 403: a session's cookie without its CSRF token
     */
    Caller check(Request request) throws AuthenticationException {
        String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (header == null && hasSession(request)) {
            return bySession(request);
        }
        if (header != null && header.toLowerCase(Locale.ROOT).startsWith(BASIC)) {
            return new Caller(basic(request, header.substring(BASIC.length()).strip()), null);
        }
        SignedRequest signed = SignedHeaders.of(request, request.getHttpURI().getDecodedPath());
        return new Caller(authenticator.authenticate(signed), signed);
    }

    /**
     * Checks that no one has changed the request on the way, nor could have, if that matters. The caller is known by
     * then, so the rest of the body is read and the answer reaches the client.
     *
     * @throws AuthenticationException 401: the digest is of another request
     * @throws ProblemException 403: a signature without a digest
     */
    void checkDigest(Request request, Route route, Caller caller) throws AuthenticationException {
        SignedRequest signed = caller.signed();
        if (signed == null) {
            return;
        }
        Authenticator.checkDigest(signed);
        if (!requiresDigest || signed.hasDigest()) {
            return;
        }
        if (route.mayChange(request.getMethod()) || signed.hasAttachedInfo()) {
            throw ProblemException.refused(403, "digest-required", UNPROTECTED);
        }
    }

    /** Checks the headers; null if there is nothing in them, or a session that is over. */
    @Nullable
    Caller checkIfAny(Request request) throws AuthenticationException {
        if (!request.getHeaders().contains(HttpHeader.AUTHORIZATION) && !hasSession(request)) {
            return null;
        }
        try {
            return check(request);
        } catch (AuthenticationException e) {
            if (e.mayBeAGuess() || request.getHeaders().contains(HttpHeader.AUTHORIZATION)) {
                throw e;
            }
            return null;
        }
    }

    /** Returns whether a request has the cookie of a session; never where there are no sessions. */
    boolean hasSession(Request request) {
        return sessions.areTaken() && !SessionCookie.tokens(request).isEmpty();
    }

    private Caller bySession(Request request) throws AuthenticationException {
        List<String> found = SessionCookie.tokens(request);
        if (found.size() > 1) {
            throw AuthenticationException.unauthorized("One session is needed.");
        }
        if (!OwnOrigin.has(request) || !OwnOrigin.isForAPage(request)) {
            throw foreign();
        }
        Session session = sessions.check(found.get(0));
        String csrf = request.getHeaders().get(CSRF_HEADER);
        if (!isSafe(request.getMethod()) && (csrf == null || !session.hasCsrf(csrf))) {
            throw ProblemException.refused(
                    403, "csrf", "a session changes something only with its token in the header " + CSRF_HEADER);
        }
        return new Caller(session.user(), null, session);
    }

    /**
     * Returns whether the method is safe by HTTP's definition. A CONNECT tunnel is the HTTP/2 form of a GET that opens
     * a stream.
     */
    private static boolean isSafe(String method) {
        return method.equals("GET") || method.equals("HEAD") || method.equals("CONNECT");
    }

    static ProblemException foreign() {
        return ProblemException.refused(403, "foreign-origin", "pages of other origins may not use sessions");
    }

    /** Returns the challenge of a 401: browsers show their dialog for a page that they open, not for its requests. */
    String challenge(Request request) {
        String mode = request.getHeaders().get(FETCH_MODE);
        boolean isOfAPage = mode != null && !mode.equals("navigate");
        return isOfAPage || hasToken(request) || hasSession(request) ? NO_DIALOG : CHALLENGE;
    }

    /**
     * Checks the headers, or a token for a topic in their place.
     *
     * @throws AuthenticationException 401, or 412 for the client's clock
     */
    Caller checkWithToken(Request request, String topic) throws AuthenticationException {
        Fields.Field token = Query.decoded(request.getHttpURI().getQuery()).get(StreamTokens.PARAMETER);
        if (token == null) {
            return check(request);
        }
        if (request.getHeaders().contains(HttpHeader.AUTHORIZATION)
                || token.getValues().size() > 1) {
            throw AuthenticationException.unauthorized("One token or one Authorization header is needed.");
        }
        return new Caller(tokens.check(token.getValue(), topic), null);
    }

    /** Returns whether something in the query may be meant as a token. */
    private static boolean hasToken(Request request) {
        String query = request.getHttpURI().getQuery();
        return query != null && query.contains(StreamTokens.PARAMETER + "=");
    }

    private Principal basic(Request request, String encoded) throws AuthenticationException {
        if (!RequestClient.isOverTls(request) && !isNear(request)) {
            throw AuthenticationException.unauthorized(
                    "Key and secret are taken over TLS or from this machine only: sign the request" + SETTINGS + ".");
        }
        if (request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION).size() > 1) {
            throw AuthenticationException.unauthorized("One Authorization header is needed.");
        }
        String pair;
        try {
            pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw AuthenticationException.unauthorized("The Authorization header is not base64.");
        }
        int colon = pair.indexOf(':');
        if (colon < 0) {
            throw AuthenticationException.unauthorized("The Authorization header has no secret.");
        }
        return authenticator.authenticate(pair.substring(0, colon), pair.substring(colon + 1));
    }

    /** Returns whether only programs that may read it can receive what the client sends without TLS. */
    boolean isNear(Request request) {
        return RequestClient.isNear(request, plainNetworks);
    }
}
