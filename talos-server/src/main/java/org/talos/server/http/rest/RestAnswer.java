// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.stream.StreamSource;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * The answer of a resource. Immutable; the body belongs to the front end.
 *
 * @param body may be empty
 * @param delivery learns whether it was written
 * @param stream in place of a body, of an answer that has no end
 * @param upgrade in place of everything else, of an answer that makes the connection another one
 */
public record RestAnswer(
        int status,
        Map<String, String> headers,
        Body body,
        Delivery delivery,
        Optional<StreamSource> stream,
        Optional<Upgrade> upgrade) {
    public static final String JSON = "application/json";
    private static final Body NOTHING = new Bytes(List.of());

    /** The header by which nginx passes on an answer as it comes. Otherwise it gathers 4 KiB of the answer first. */
    private static final String BUFFERING = "X-Accel-Buffering";

    public static RestAnswer json(int status, JsonNode body) {
        return bytes(status, JSON, List.of(ByteBuffer.wrap(Json.write(body))));
    }

    /** Returns a record as JSON, as {@link Json#tree} makes it. */
    public static RestAnswer json(int status, Record body) {
        return json(status, Json.tree(body));
    }

    /** Returns an answer of JSON that is rendered while it is written. */
    public static RestAnswer json(int status, Body body) {
        return of(status, JSON, body);
    }

    public static RestAnswer bytes(int status, String contentType, List<ByteBuffer> body) {
        return of(status, contentType, new Bytes(body));
    }

    public static RestAnswer of(int status, String contentType, Body body) {
        return new RestAnswer(
                status,
                Map.of("Content-Type", contentType),
                body,
                Delivery.IGNORED,
                Optional.empty(),
                Optional.empty());
    }

    public static RestAnswer stream(String contentType, StreamSource source) {
        return new RestAnswer(
                200, streamHeaders(contentType), NOTHING, Delivery.IGNORED, Optional.of(source), Optional.empty());
    }

    /** Returns the headers of an answer that is written as it comes. */
    static Map<String, String> streamHeaders(String contentType) {
        return Map.of("Content-Type", contentType, BUFFERING, "no");
    }

    public static RestAnswer upgrade(Upgrade upgrade) {
        return new RestAnswer(101, Map.of(), NOTHING, Delivery.IGNORED, Optional.empty(), Optional.of(upgrade));
    }

    public static RestAnswer noContent() {
        return new RestAnswer(204, Map.of(), NOTHING, Delivery.IGNORED, Optional.empty(), Optional.empty());
    }

    public RestAnswer with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new RestAnswer(status, more, body, delivery, stream, upgrade);
    }

    public RestAnswer withDelivery(Delivery listener) {
        return new RestAnswer(status, headers, body, listener, stream, upgrade);
    }
}
