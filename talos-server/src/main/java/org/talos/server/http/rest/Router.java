// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.util.URIUtil;
import org.talos.server.http.rest.json.ProblemException;

/**
 * Finds the route of a request. Paths are taken as they are written: what is encoded in a segment must be letters that
 * need it, never a separator, a dot segment or a control character.
 *
 * <p>Immutable.
 */
public final class Router {
    private static final Pattern FORBIDDEN = Pattern.compile("[/\\\\;\\p{Cntrl}]");

    private final List<Route> routes;

    public Router(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /** A route, and what its variables stand for. Immutable. */
    record Match(Route route, List<String> variables) {}

    /**
     * The route of a request.
     *
     * @param path still encoded
     * @throws ProblemException 404; 405, with the methods that there are; 400
     */
    Match find(String method, String path) {
        List<String> segments = segments(path);
        List<Route> here =
                routes.stream().filter(route -> route.matches(segments)).toList();
        if (here.isEmpty()) {
            throw ProblemException.refused(404, "not-found", "nothing is here");
        }
        return here.stream()
                .filter(route -> route.answers(method))
                .findFirst()
                .map(route -> new Match(route, route.variables(segments)))
                .orElseThrow(() -> new MethodNotAllowed(allowed(here)));
    }

    /**
     * The methods that a path has, separated by commas.
     *
     * @throws ProblemException 404; 400
     */
    String methods(String path) {
        List<String> segments = segments(path);
        List<Route> here =
                routes.stream().filter(route -> route.matches(segments)).toList();
        if (here.isEmpty()) {
            throw ProblemException.refused(404, "not-found", "nothing is here");
        }
        return allowed(here);
    }

    private static String allowed(List<Route> here) {
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
        return Stream.of(path.substring(1).split("/", -1)).map(Router::decoded).toList();
    }

    private static String decoded(String segment) {
        String text;
        try {
            // Of what follows a semicolon the decoder makes nothing.
            text = segment.indexOf(';') < 0 ? URIUtil.decodePath(segment) : ";";
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("the path can't be read");
        }
        if (text.isEmpty()
                || text.equals(".")
                || text.equals("..")
                || FORBIDDEN.matcher(text).find()) {
            throw ProblemException.refused(404, "not-found", "nothing is here");
        }
        return text;
    }
}
