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
import org.talos.server.http.rest.description.Answer;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.Parameter;
import org.talos.server.http.rest.description.RequestContent;
import org.talos.server.http.rest.description.RouteDescription;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.stream.LineSink;
import org.talos.server.metrics.Operation;

/**
 * A method and a path that a resource answers, and how the description of the interface shows them. Immutable.
 *
 * @param segments of the path; one in braces stands for any text
 * @param parameters that the query may have
 * @param body allowed kind of body
 * @param sender required knowledge of the sender
 * @param lines takes a body of lines as it comes, if the route can
 * @param description its other parts in {@code /v1/openapi.json}
 */
public record Route(
        String method,
        List<String> segments,
        Set<String> parameters,
        Body body,
        Sender sender,
        Resource resource,
        Optional<Function<RestRequest, LineSink>> lines,
        RouteDescription description) {
    private static final int UNREADABLE = 422;
    private static final int LONGEST_TOKEN = 1_000; // characters, as it is described

    /** The body that a request may have. */
    public enum Body {
        /** Nothing, or an empty object. */
        NONE,
        /** Nothing: its connection becomes another one, or with HTTP/2 its stream (RFC 8441). */
        UPGRADE,
        /** Key and secret, of a person who is not signed in yet. */
        SECRETS,
        /** Up to the size of control calls. */
        SMALL,
        /** Up to the size of puts, with room for a message's frame on both sides. */
        MESSAGES
    }

    /** The credentials that a request needs. */
    public enum Sender {
        /** The request needs credentials. */
        KNOWN,
        /** The same; a token for the topic, the first variable, stands in for credentials. */
        KNOWN_BY_TOKEN,
        /** The request may have credentials. */
        KNOWN_IF_ANY,
        /** Nothing: there are no credentials yet, or none are needed. */
        ANYBODY
    }

    /** Returns a route that is described by nothing yet, and needs credentials. */
    public static Route of(String method, String path, Body body, Resource resource) {
        return new Route(
                method,
                split(path),
                Set.of(),
                body,
                Sender.KNOWN,
                resource,
                Optional.empty(),
                RouteDescription.empty());
    }

    public static Route open(String path, Resource resource) {
        return of("GET", path, Body.NONE, resource).from(Sender.ANYBODY);
    }

    /** This route, which asks to know something else of the sender. */
    public Route from(Sender other) {
        return new Route(method, segments, parameters, body, other, resource, lines, description);
    }

    /** This route, which takes a body of lines as it comes, too. */
    public Route withLines(Function<RestRequest, LineSink> sink) {
        return new Route(method, segments, parameters, body, sender, resource, Optional.of(sink), description);
    }

    /** This route, which takes a token for the topic in place of credentials, too. */
    public Route withToken() {
        return from(Sender.KNOWN_BY_TOKEN)
                .query(
                        StreamTokens.PARAMETER,
                        "A token for the topic, in place of credentials.",
                        ValueType.text().maxLength(LONGEST_TOKEN));
    }

    /**
     * This route by the name that generated clients give it.
     *
     * @param summary in a line
     */
    public Route named(String id, String summary) {
        return with(description.named(id, summary));
    }

    /** This route with more text than its summary. */
    public Route described(String text) {
        return with(description.described(text));
    }

    /** This route with a parameter that its query may have. */
    public Route query(String name, String text, ValueType type) {
        return query(new Parameter(name, "query", text, type));
    }

    /** This route with a parameter that its query may have. */
    public Route query(Parameter parameter) {
        Set<String> more = new TreeSet<>(parameters);
        more.add(parameter.name());
        RouteDescription longer = description.with(parameter);
        return new Route(method, segments, Collections.unmodifiableSet(more), body, sender, resource, lines, longer);
    }

    /** This route with a header that its requests may have. */
    public Route header(String name, String text, ValueType type) {
        return with(description.with(new Parameter(name, "header", text, type)));
    }

    /** This route, whose requests must have this record as JSON. */
    public Route takes(Class<?> content) {
        return with(description.with(RequestContent.of(true, content)));
    }

    /** This route, whose requests may have this record as JSON. */
    public Route mayTake(Class<?> content) {
        return with(description.with(RequestContent.of(false, content)));
    }

    /** This route, whose requests have one of several bodies. */
    public Route takes(RequestContent content) {
        return with(description.with(content));
    }

    /** This route with an answer that has no body. */
    public Route answers(int status, String text) {
        return with(description.with(Answer.of(status, text)));
    }

    /** This route with an answer that is a record as JSON. */
    public Route answers(int status, String text, Class<?> content) {
        return with(description.with(Answer.of(status, text, content)));
    }

    /** This route with an answer that is no JSON, or of a type of its own. */
    public Route answers(int status, String text, Content content) {
        return with(description.with(Answer.of(status, text).as(content)));
    }

    /** This route with an answer. */
    public Route answers(Answer answer) {
        return with(description.with(answer));
    }

    /** This route with failures that not every route has. */
    public Route fails(int... statuses) {
        RouteDescription more = description;
        for (int each : statuses) {
            more = more.withFailure(each, RouteDescription.nameOf(each));
        }
        return with(more);
    }

    /** This route, which may find a block that cannot be read. */
    public Route failsWhereUnreadable() {
        return with(description.withFailure(UNREADABLE, "Unreadable"));
    }

    private Route with(RouteDescription other) {
        return new Route(method, segments, parameters, body, sender, resource, lines, other);
    }

    private static List<String> split(String path) {
        return List.of(path.substring(1).split("/"));
    }

    /** Returns the operation as which its requests count in the metrics. */
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

    /**
     * Returns whether it answers a method: HEAD as well as GET, or, where a connection becomes another one, CONNECT.
     */
    boolean answers(String asked) {
        return asked.equals(method)
                || (method.equals("GET") && asked.equals(body == Body.UPGRADE ? "CONNECT" : "HEAD"));
    }

    /** Returns whether a request by this method may change something. A stream may put, though a GET opens it. */
    boolean mayChange(String asked) {
        return body == Body.UPGRADE || !(asked.equals("GET") || asked.equals("HEAD"));
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

    static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }
}
