// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.service.message.StoredPut;

/**
 * The part of a batch that goes to one partition: stored whole, or not. Immutable.
 *
 * @param indexes of its messages in the batch, in order
 */
record PartitionPut(int partition, List<Integer> indexes, CompletableFuture<StoredPut> result) {
    /** Completes once all have ended, successfully or not. */
    static CompletionStage<List<PartitionPut>> all(List<PartitionPut> parts) {
        CompletableFuture<?>[] ends = parts.stream()
                .map(part -> part.result.handle((stored, error) -> part))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(ends).thenApply(done -> parts);
    }

    /** The result of each message of a batch: its partition and offset, or the problem of its part. */
    static ObjectNode[] results(int count, List<PartitionPut> parts) {
        ObjectNode[] results = new ObjectNode[count];
        for (PartitionPut part : parts) {
            for (int i = 0; i < part.indexes.size(); i++) {
                ObjectNode result = JsonNodeFactory.instance.objectNode().put("partition", part.partition);
                if (part.isStored()) {
                    result.put("offset", part.stored().firstOffset() + i);
                } else {
                    result.set("problem", Problem.of(part.failure()).toJson(null));
                }
                results[part.indexes.get(i)] = result;
            }
        }
        return results;
    }

    boolean isStored() {
        return !result.isCompletedExceptionally();
    }

    StoredPut stored() {
        return result.join();
    }

    TalosException failure() {
        return TalosException.of(result.handle((stored, error) -> error).join());
    }
}
