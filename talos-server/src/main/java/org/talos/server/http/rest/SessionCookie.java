// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.List;
import org.eclipse.jetty.http.HttpCookie;
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
    private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict";
    private static final String OVER_TLS = "; Secure";

    private SessionCookie() {}

    /** The tokens that a request has in such cookies: one of a browser of ours. */
    static List<String> tokens(Request request) {
        return mayBeIn(request)
                ? Request.getCookies(request).stream()
                        .filter(cookie -> cookie.getName().equals(NAME))
                        .map(HttpCookie::getValue)
                        .toList()
                : List.of();
    }

    private static boolean mayBeIn(Request request) {
        List<String> headers = request.getHeaders().getValuesList(HttpHeader.COOKIE);
        return !headers.isEmpty() && headers.stream().anyMatch(each -> each.contains(NAME));
    }

    /** The header's value by which a browser takes a session's token. */
    static String of(Session session) {
        return NAME + "=" + session.token() + ATTRIBUTES + (session.overTls() ? OVER_TLS : "");
    }

    /** The header's value by which a browser forgets the token. */
    static String forgotten() {
        return NAME + "=" + ATTRIBUTES + "; Max-Age=0";
    }
}
