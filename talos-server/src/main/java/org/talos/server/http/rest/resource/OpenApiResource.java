// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.body.SharedBytes;
import org.talos.server.http.rest.Resource;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;

/** The description of all routes, as it stands in the jar. Thread-safe. */
final class OpenApiResource implements Resource {
    private static final String FILE = "openapi.json";

    private final ByteBuffer description;

    OpenApiResource() {
        try (InputStream in = OpenApiResource.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is not in the jar");
            }
            description = ByteBuffer.wrap(in.readAllBytes()).asReadOnlyBuffer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public CompletionStage<RestAnswer> answer(RestRequest request) {
        return CompletableFuture.completedFuture(RestAnswer.of(200, RestAnswer.JSON, new SharedBytes(description)));
    }
}
