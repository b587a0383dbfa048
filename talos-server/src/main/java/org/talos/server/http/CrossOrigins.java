// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.CrossOriginHandler;

/**
 * Lets pages of a few origins use the server from a browser, by the protocol of the Fetch standard (CORS). Cookies and
 * a browser's own credentials are never requested: a page has key and secret, or a token, and sends them itself. So
 * every header of an answer may be shown.
 *
 * <p>Immutable.
 */
public final class CrossOrigins {
    private static final String ALL = "*";
    private static final Duration PREFLIGHT_AGE = Duration.ofMinutes(10);

    private final Set<String> allowed;

    CrossOrigins(Set<String> allowed) {
        this.allowed = Set.copyOf(allowed);
    }

    /**
     * Returns a handler that answers these origins and then calls the given one, or the given one if there are none.
     */
    Handler around(Handler handler) {
        if (allowed.isEmpty()) {
            return handler;
        }
        CrossOriginHandler cross = new CrossOriginHandler();
        cross.setAllowedOriginPatterns(allowed.stream().map(Pattern::quote).collect(Collectors.toSet()));
        cross.setAllowCredentials(false);
        cross.setAllowedMethods(Set.of()); // the routes know the methods of a path
        cross.setAllowedHeaders(Set.of());
        cross.setDeliverPreflightRequests(true);
        cross.setDeliverNonAllowedOriginWebSocketUpgradeRequests(true); // refused where streams are opened
        cross.setExposedHeaders(Set.of(ALL));
        cross.setPreflightMaxAge(PREFLIGHT_AGE);
        cross.setHandler(handler);
        return cross;
    }

    /**
     * Marks an answer that was begun again after the handler had marked it: that of a request that failed in the
     * server.
     */
    void mark(Request request, Response response) {
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        if (origin != null && allowed.contains(origin)) {
            response.getHeaders().put(HttpHeader.VARY, HttpHeader.ORIGIN.asString());
            response.getHeaders().put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response.getHeaders().put(HttpHeader.ACCESS_CONTROL_EXPOSE_HEADERS, ALL);
        }
    }

    /** Returns whether this is a browser's preflight for a request that a page of an allowed origin may send. */
    public static boolean isPreflight(Request request, Response response) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeaders().contains(HttpHeader.ACCESS_CONTROL_REQUEST_METHOD)
                && response.getHeaders().contains(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN);
    }
}
