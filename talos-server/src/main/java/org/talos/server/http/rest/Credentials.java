// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SignedRequest;
import org.talos.server.auth.StreamTokens;
import org.talos.server.http.SignedHeaders;

/**
 * Authenticates the sender of a request: by its signature, by HTTP Basic where nobody can listen, or for an event
 * stream by a token.
 *
 * <p>Thread-safe.
 */
final class Credentials {
    private static final String BASIC = "basic ";

    private final Authenticator authenticator;
    private final StreamTokens tokens;

    Credentials(Authenticator authenticator, StreamTokens tokens) {
        this.authenticator = authenticator;
        this.tokens = tokens;
    }

    /**
     * The authenticated sender, and what of the body is still to be checked. Immutable.
     *
     * @param signed whose MD5 the body must have; null if the credentials say nothing of the body
     */
    record Caller(Principal principal, @Nullable SignedRequest signed) {}

    /**
     * Checks the headers.
     *
     * @throws AuthenticationException 401, or 412 for the client's clock
     */
    Caller check(Request request) throws AuthenticationException {
        String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (header != null && header.toLowerCase(Locale.ROOT).startsWith(BASIC)) {
            return new Caller(basic(request, header.substring(BASIC.length()).strip()), null);
        }
        SignedRequest signed = SignedHeaders.of(request, request.getHttpURI().getDecodedPath());
        return new Caller(authenticator.authenticate(signed), signed);
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

    /** Whether something in the query may be meant as a token. */
    static boolean hasToken(Request request) {
        String query = request.getHttpURI().getQuery();
        return query != null && query.contains(StreamTokens.PARAMETER + "=");
    }

    private Principal basic(Request request, String encoded) throws AuthenticationException {
        if (!request.isSecure() && !isLoopback(request)) {
            throw AuthenticationException.unauthorized(
                    "Key and secret are taken over TLS or from this machine only: sign the request.");
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

    private static boolean isLoopback(Request request) {
        return request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress remote
                && remote.getAddress() != null
                && remote.getAddress().isLoopbackAddress();
    }
}
