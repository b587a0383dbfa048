// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OpenApiResourceTest {
    @Test
    void descriptionIsMadeOnceAndOffTheThreadThatAsks() {
        Queue<Runnable> heavy = new ArrayDeque<>();
        OpenApiResource resource = new OpenApiResource(Routes.all());

        CompletableFuture<ByteBuffer> first = resource.description(heavy::add).toCompletableFuture();
        assertThat(first).isNotDone();
        heavy.remove().run();
        CompletableFuture<ByteBuffer> second = resource.description(heavy::add).toCompletableFuture();

        assertThat(first.join().hasRemaining()).isTrue();
        assertThat(second.join()).isSameAs(first.join());
        assertThat(heavy).isEmpty();
    }
}
