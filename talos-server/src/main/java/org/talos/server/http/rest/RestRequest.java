// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.talos.server.auth.StreamTokens;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallContext;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.TopicTalosResourceName;

/**
 * A request that has been authenticated, with its body.
 *
 * <p>Immutable; the body belongs to the resource.
 *
 * @param operations that answer the request
 * @param tokens for event streams
 * @param session session of the sender, and the rules for sessions
 * @param memory by which is reserved whatever a client can make large
 * @param later a context of the same request for work that begins later, with a deadline of its own
 * @param heavy runs long work such as decompression, outside of the threads with connections
 * @param address of the client
 * @param nowMillis wall clock
 * @param variables values of the variables of the route's path, in their order
 */
public record RestRequest(
        Operations operations,
        StreamTokens tokens,
        SessionScope session,
        RequestMemory memory,
        CallContext context,
        Supplier<CallContext> later,
        Executor heavy,
        String address,
        long nowMillis,
        List<String> variables,
        Query query,
        RequestHeaders headers,
        ByteBuffer body) {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z0-9._@-]{1,100}");

    /** The resource name that the topic has now; needs the permission to describe it. */
    public CompletionStage<TopicTalosResourceName> resourceName(String topic) {
        return operations.topics().info(context, topic).thenApply(GetDescribeInfoResponse::getTopicTalosResourceName);
    }

    /** A variable that names a user, team or org. Ids of other characters are for the SDKs' calls. */
    public String identifier(int index) {
        String text = variables.get(index);
        if (!IDENTIFIER.matcher(text).matches()) {
            throw ProblemException.refused(404, "not-found", "nothing is at '" + shown(text) + "'");
        }
        return text;
    }

    public String variable(int index) {
        return variables.get(index);
    }

    /** A variable that names a partition. */
    public int partition(int index) {
        return Math.toIntExact(number(index, Integer.MAX_VALUE));
    }

    /** A variable that is a number from 0 on, written as the server writes it: a partition has one path. */
    public long number(int index, long max) {
        String text = variables.get(index);
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= max && text.equals(Long.toString(number))) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw noNumber(text);
        }
        throw noNumber(text);
    }

    private static ProblemException noNumber(String text) {
        return ProblemException.refused(
                404, "not-found", "nothing is at '" + shown(text) + "': a number is needed there");
    }

    private static String shown(String text) {
        return text.length() <= 50 ? text : text.substring(0, 50) + "…";
    }

    /** A header that may come once. */
    public String header(String name, String byDefault) {
        return headers.single(name, byDefault);
    }
}
