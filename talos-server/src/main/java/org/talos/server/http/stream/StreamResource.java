// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.message.BlockMessages;

/** The route by which streams are opened. Immutable. */
public final class StreamResource {
    private static final String STREAM = "/v1/topics/{topic}/stream";

    private StreamResource() {}

    /**
     * The route.
     *
     * @param blocks by which messages are read for clients that get them as JSON
     */
    public static List<Route> routes(BlockMessages blocks) {
        return List.of(Route.of(
                        "GET",
                        STREAM,
                        Route.Body.UPGRADE,
                        request -> CompletableFuture.completedFuture(
                                RestAnswer.upgrade(new StreamUpgrade(request, blocks))))
                .named(
                        "openStream",
                        "A stream: puts and gets of the topic over a WebSocket, with the subprotocol talos.v1 or "
                                + "talos.v1.json")
                .query(
                        StreamUpgrade.WINDOW,
                        "Bytes that either side may send before the other grants more.",
                        ValueType.integer().between(65536, 67108864).usual(2097152))
                .query(
                        StreamUpgrade.AS,
                        "How the bytes of messages are shown, with the subprotocol talos.v1.json.",
                        ValueType.text().words("auto", "text", "base64", "json").usual("auto"))
                .query(
                        StreamUpgrade.PRODUCER,
                        "Identity of the puts: one that is sent again under its number is stored once.",
                        ValueType.text().pattern("^[A-Za-z0-9_-]{1,64}$"))
                .withToken()
                .answers(
                        101,
                        "The connection is a WebSocket from here on; its messages are in docs/formats/stream.md."));
    }
}
