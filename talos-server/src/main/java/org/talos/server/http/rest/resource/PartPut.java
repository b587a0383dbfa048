// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.service.message.StoredPut;
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

    /** What became of each message of a batch: its place, or the problem of its part. */
    static ObjectNode[] fates(int count, List<PartPut> parts) {
        ObjectNode[] fates = new ObjectNode[count];
        for (PartPut part : parts) {
            for (int i = 0; i < part.indexes.size(); i++) {
                ObjectNode fate = JsonNodeFactory.instance.objectNode().put("partition", part.partition);
                if (part.isStored()) {
                    fate.put("offset", part.stored().firstOffset() + i);
                } else {
                    fate.set("problem", Problem.of(part.failure()).toJson(null));
                }
                fates[part.indexes.get(i)] = fate;
            }
        }
        return fates;
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
