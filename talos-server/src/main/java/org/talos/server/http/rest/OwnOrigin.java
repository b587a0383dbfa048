// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.client.RequestClient;

/**
 * Decides whether a request comes from a page of this server's own, as its browser says: by {@code Sec-Fetch-Site} (W3C
 * Fetch Metadata), or where that is not sent by {@code Origin}. A client that sends neither is no browser.
 *
 * <p>The scheme of {@code Origin} is skipped where this server speaks none of its own: a proxy before it may speak TLS.
 * Immutable.
 */
public final class OwnOrigin {
    private static final String FETCH_SITE = "Sec-Fetch-Site";
    private static final String FETCH_DESTINATION = "Sec-Fetch-Dest";

    /** The destinations of fetch, event streams and streams: never of scripts, workers and frames. */
    private static final Set<String> DESTINATIONS = Set.of("empty", "document", "websocket");

    private static final String TLS = "https://";
    private static final String CLEAR = "http://";

    private OwnOrigin() {}

    /** Returns whether no page of another origin has sent it. */
    static boolean has(Request request) {
        @Nullable String site = request.getHeaders().get(FETCH_SITE);
        if (site != null) {
            return site.equals("same-origin") || site.equals("none"); // none: its user has typed the address
        }
        @Nullable String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        return origin == null || is(origin, request);
    }

    /**
     * Returns whether a page requested it, rather than a browser that loads a message's content as a script or a frame.
     */
    static boolean isForAPage(Request request) {
        @Nullable String destination = request.getHeaders().get(FETCH_DESTINATION);
        return destination == null || DESTINATIONS.contains(destination);
    }

    /** Returns whether an origin is that of this server's pages. */
    public static boolean is(String origin, Request request) {
        String authority = request.getHttpURI().getAuthority();
        return origin.equalsIgnoreCase(TLS + authority)
                || (!RequestClient.isOverTls(request) && origin.equalsIgnoreCase(CLEAR + authority));
    }

    /** Returns whether the browser that sends this speaks TLS, with this server or with a proxy before it. */
    static boolean isOverTls(Request request) {
        @Nullable String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        return RequestClient.isOverTls(request) || (origin != null && origin.startsWith(TLS) && has(request));
    }
}
