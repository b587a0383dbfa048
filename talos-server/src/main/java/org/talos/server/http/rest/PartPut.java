// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.service.StoredPut;
import org.talos.thrift.ErrorCode;

/**
 * The part of a batch that goes to one partition: stored whole, or not. Immutable.
 *
 * @param indexes of its messages in the batch, in order
 */
record PartPut(int partition, List<Integer> indexes, CompletableFuture<StoredPut> result) {
    /** Completes once all have ended, well or not. */
    static CompletionStage<List<PartPut>> all(List<PartPut> parts) {
        CompletableFuture<?>[] ends = parts.stream()
                .map(part -> part.result.handle((stored, error) -> part))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(ends).thenApply(done -> parts);
    }

    boolean isStored() {
        return !result.isCompletedExceptionally();
    }

    StoredPut stored() {
        return result.join();
    }

    TalosException failure() {
        Throwable thrown = result.handle((stored, error) -> error).join();
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof TalosException known
                ? known
                : new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, "the server failed", cause);
    }
}
