// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.http.HttpPort;

/**
 * The cookie in which a browser keeps the token of its session. No script can read it, no page of another site has it
 * sent, and the browser forgets it when it is closed. Immutable.
 */
public final class SessionCookie {
    private static final String NAME = HttpPort.SESSION_COOKIE;
    private static final String PREFIX = NAME + "=";
    private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict";
    private static final String OVER_TLS = "; Secure";

    private SessionCookie() {}

    /**
     * Returns the tokens that a request has in such cookies: one of a browser of ours. Jetty's parser fails for all
     * cookies of a request if one is malformed, which may be that of another program on the same host.
     */
    static List<String> tokens(Request request) {
        return request.getHeaders().contains(HttpHeader.COOKIE)
                ? request.getHeaders().getValuesList(HttpHeader.COOKIE).stream()
                        .flatMap(header -> Arrays.stream(header.split(";")))
                        .map(String::strip)
                        .filter(cookie -> cookie.startsWith(PREFIX))
                        .map(cookie -> cookie.substring(PREFIX.length()))
                        .toList()
                : List.of();
    }

    /** The header's value by which a browser takes a session's token. */
    static String of(Session session) {
        return PREFIX + session.token() + ATTRIBUTES + (session.overTls() ? OVER_TLS : "");
    }

    /** The header's value by which a browser forgets the token. */
    static String forgotten() {
        return PREFIX + ATTRIBUTES + "; Max-Age=0";
    }
}
