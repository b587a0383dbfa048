// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.eclipse.jetty.util.URIUtil;
import org.talos.server.http.rest.json.ProblemException;

/**
 * Finds the route of a request. Paths are taken as written. A segment may encode only characters that need it, never a
 * separator, a dot segment, or a control character.
 *
 * <p>Immutable.
 */
public final class Router {
    private static final char DELETE = 0x7f; // the control character that is not in front of all others

    private final List<Route> routes;

    public Router(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /** A route, and the values of its variables. Immutable. */
    record Match(Route route, List<String> variables) {}

    /**
     * The route of a request.
     *
     * @param path still encoded
     * @throws ProblemException 404; 405, with the methods that there are; 400
     */
    Match find(String method, String path) {
        List<String> segments = segments(path);
        for (Route route : routes) {
            if (route.matches(segments) && route.answers(method)) {
                return new Match(route, route.variables(segments));
            }
        }
        throw new MethodNotAllowed(methods(segments));
    }

    /**
     * The methods that a path has, separated by commas.
     *
     * @throws ProblemException 404; 400
     */
    String methods(String path) {
        return methods(segments(path));
    }

    private String methods(List<String> segments) {
        List<Route> here =
                routes.stream().filter(route -> route.matches(segments)).toList();
        if (here.isEmpty()) {
            throw ProblemException.refused(404, "not-found", "nothing is here");
        }
        return here.stream().map(Route::method).collect(Collectors.toCollection(TreeSet::new)).stream()
                .collect(Collectors.joining(", "));
    }

    /** The path has a route, but not for the method. Immutable. */
    static final class MethodNotAllowed extends RuntimeException {
        private final String allowed;

        MethodNotAllowed(String allowed) {
            super("allowed: " + allowed, null, false, false);
            this.allowed = allowed;
        }

        String allowed() {
            return allowed;
        }
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String each : path.substring(1).split("/", -1)) {
            segments.add(decoded(each));
        }
        return segments;
    }

    private static String decoded(String segment) {
        String text;
        try {
            // The decoder ignores the part after a semicolon.
            text = segment.indexOf(';') < 0 ? URIUtil.decodePath(segment) : ";";
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("the path cannot be read");
        }
        if (text.isEmpty() || text.equals(".") || text.equals("..") || hasForbidden(text)) {
            throw ProblemException.refused(404, "not-found", "nothing is here");
        }
        return text;
    }

    private static boolean hasForbidden(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '/' || each == '\\' || each == ';' || each < ' ' || each == DELETE) {
                return true;
            }
        }
        return false;
    }
}
