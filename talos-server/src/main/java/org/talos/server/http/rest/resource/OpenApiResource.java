// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.SharedBytes;
import org.talos.server.http.rest.OpenApi;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.ValueType;

/** The description of all routes, which is made when it is first asked for. Thread-safe. */
final class OpenApiResource {
    private final List<Route> routes;
    private volatile @Nullable ByteBuffer made; // by one request, or by several at once: they make the same

    /** @param routes to be complete before the first request, with the one of this resource */
    OpenApiResource(List<Route> routes) {
        this.routes = routes;
    }

    Route route() {
        return Route.open("/v1/openapi.json", this::show)
                .named("describe", "This description")
                .answers(200, "The description.", Content.of(RestAnswer.JSON, ValueType.object()));
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        return CompletableFuture.completedFuture(RestAnswer.of(200, RestAnswer.JSON, new SharedBytes(description())));
    }

    private ByteBuffer description() {
        ByteBuffer known = made;
        if (known == null) {
            String text = OpenApi.of(routes).toPrettyString() + "\n"; // people read it, too
            known = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
            made = known;
        }
        return known;
    }
}
