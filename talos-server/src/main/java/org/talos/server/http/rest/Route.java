// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.talos.server.auth.StreamTokens;
import org.talos.server.http.rest.stream.LineSink;
import org.talos.server.metrics.Operation;

/**
 * A method and a path that a resource answers. Immutable.
 *
 * @param segments of the path; one in braces stands for any text
 * @param parameters that the query may have
 * @param body what the request may carry
 * @param open whether it needs no credentials
 * @param byToken whether a token for the topic, the first variable, stands in for credentials
 * @param lines takes a body of lines as it comes, if the route can
 */
public record Route(
        String method,
        List<String> segments,
        Set<String> parameters,
        Body body,
        boolean open,
        boolean byToken,
        Resource resource,
        Optional<Function<RestRequest, LineSink>> lines) {
    /** What a request may carry. */
    public enum Body {
        /** Nothing, or an empty object. */
        NONE,
        /** Nothing: its connection becomes another one, or with HTTP/2 its stream (RFC 8441). */
        UPGRADE,
        /** Up to what control calls may carry. */
        SMALL,
        /** Up to what puts may carry, with room for a message's frame on both sides. */
        MESSAGES
    }

    public static Route of(String method, String path, Set<String> parameters, Body body, Resource resource) {
        return new Route(method, split(path), parameters, body, false, false, resource, Optional.empty());
    }

    public static Route open(String path, Resource resource) {
        return new Route("GET", split(path), Set.of(), Body.NONE, true, false, resource, Optional.empty());
    }

    /** This route, which takes a body of lines as it comes, too. */
    public Route withLines(Function<RestRequest, LineSink> sink) {
        return new Route(method, segments, parameters, body, open, byToken, resource, Optional.of(sink));
    }

    /** This route, which takes a token for the topic in place of credentials, too. */
    public Route withToken() {
        Set<String> more = new TreeSet<>(parameters);
        more.add(StreamTokens.PARAMETER);
        return new Route(method, segments, more, body, open, true, resource, lines);
    }

    private static List<String> split(String path) {
        return List.of(path.substring(1).split("/"));
    }

    /** What its requests count as in the metrics. */
    Operation operation() {
        if (body == Body.MESSAGES) {
            return Operation.PUT;
        }
        boolean reads = method.equals("GET") && (segments.contains("messages") || segments.contains("events"));
        return reads || segments.get(segments.size() - 1).equals("fetch") ? Operation.GET : Operation.OTHER;
    }

    /** The path as documentation has it. */
    String path() {
        return "/" + String.join("/", segments);
    }

    /** Whether it answers a method: HEAD as well as GET, or, where a connection becomes another one, CONNECT. */
    boolean answers(String asked) {
        return asked.equals(method)
                || (method.equals("GET") && asked.equals(body == Body.UPGRADE ? "CONNECT" : "HEAD"));
    }

    boolean matches(List<String> path) {
        if (path.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!isVariable(segments.get(i)) && !segments.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }

    List<String> variables(List<String> path) {
        List<String> variables = new ArrayList<>(2);
        for (int i = 0; i < path.size(); i++) {
            if (isVariable(segments.get(i))) {
                variables.add(path.get(i));
            }
        }
        return Collections.unmodifiableList(variables);
    }

    private static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }
}
