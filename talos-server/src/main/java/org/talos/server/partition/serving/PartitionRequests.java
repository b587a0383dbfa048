// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.storage.LogId;

/**
 * Requests about a partition to the server that serves it: this one or another. A failed request completes with a
 * {@link org.talos.common.error.TalosException} that says whether it may have had an effect. No request blocks, and
 * each ends by its deadline plus a small bound. The caller has checked the client's rights and quotas.
 *
 * <p>Thread-safe.
 */
public interface PartitionRequests {
    /** Stores a put; completes once it is durable. PARTITION_NOT_SERVING if it is not served there. */
    CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward);

    /** Reads messages, waiting for them if requested. */
    CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward);

    /**
     * Waits until any of the logs has a message at or behind its offset.
     *
     * @return completes with the logs that have one, or are not served there any more; with none once the wait is over.
     *     Fails with PARTITION_NOT_SERVING if one is not served there from the beginning, and with BAD_REQUEST by an
     *     earlier version, which does not have this call
     */
    CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward);

    /**
     * Returns ends of logs, without the logs that the server does not have; {@link LogBounds#NOT_SERVED} for one that
     * it has and does not serve.
     */
    CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward);

    /** Returns the first offset that was appended at or after a time (ms since 1970), or the end of the log. */
    CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward);

    /**
     * Deletes the oldest messages of a log, or reports the effect of doing so. PARTITION_NOT_SERVING if it is not
     * served there, and BAD_REQUEST from an earlier version, which does not have this call.
     */
    CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward);
}
