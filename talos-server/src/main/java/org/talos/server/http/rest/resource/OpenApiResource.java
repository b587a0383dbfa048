// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.SharedBytes;
import org.talos.server.http.rest.OpenApi;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.ValueType;

/** The description of all routes, which is made when it is first asked for, off the selectors. Thread-safe. */
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
        return description(request.heavy()).thenApply(OpenApiResource::answer);
    }

    private static RestAnswer answer(ByteBuffer description) {
        return RestAnswer.of(200, RestAnswer.JSON, new SharedBytes(description));
    }

    /** @param heavy makes the description, unless it is made already */
    CompletionStage<ByteBuffer> description(Executor heavy) {
        ByteBuffer known = made;
        return known != null
                ? CompletableFuture.completedFuture(known)
                : CompletableFuture.supplyAsync(this::make, heavy);
    }

    private ByteBuffer make() {
        String text = OpenApi.of(routes).toPrettyString() + "\n"; // people read it, too
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer description = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        made = description;
        return description;
    }
}
