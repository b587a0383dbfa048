// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.Route;
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
                        Set.of(StreamUpgrade.WINDOW, StreamUpgrade.PRODUCER, StreamUpgrade.AS),
                        Route.Body.UPGRADE,
                        request -> CompletableFuture.completedFuture(
                                RestAnswer.upgrade(new StreamUpgrade(request, blocks))))
                .withToken());
    }
}
