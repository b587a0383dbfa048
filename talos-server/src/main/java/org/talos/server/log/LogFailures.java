// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.concurrent.CompletionException;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.thrift.ErrorCode;

/**
 * Turns failures of storage into errors for clients: without paths, and with what is known of the effect. Immutable.
 */
public final class LogFailures {
    private LogFailures() {}

    /** What a future of a store failed with. */
    static StorageException cause(Throwable error) {
        Throwable own = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return own instanceof StorageException storage
                ? storage
                : new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "append failed", error);
    }

    /** The error of a put that was handed to the store, and failed. */
    static TalosException ofAppend(StorageException e) {
        return switch (e.reason()) {
            // A code that clients repeat by themselves is for puts that surely did nothing.
            case FENCED ->
                e.effect() == Effect.NONE
                        ? notServing()
                        : new TalosException(
                                ErrorCode.HDFS_OPERATION_FAILED, e.effect(), "another server has taken over", e);
            case BUSY ->
                TalosException.refused(
                        ErrorCode.EXCESSIVE_PENDING_MESSAGE, "more is put than storage writes: put again later");
            case UNAVAILABLE, CORRUPT ->
                new TalosException(
                        ErrorCode.HDFS_OPERATION_FAILED, e.effect(), "storage failed while the put was written", e);
        };
    }

    /** The error of a read that failed. */
    static TalosException ofRead(StorageException e) {
        String sentence = e.reason() == StorageException.Reason.CORRUPT
                ? "messages here are damaged, and are not served"
                : "storage failed while messages were read";
        return new TalosException(ErrorCode.HDFS_OPERATION_FAILED, Effect.NONE, sentence, e);
    }

    /** Whether a read that failed may succeed later. */
    static boolean mayPass(TalosException ofRead) {
        return ofRead.getCause() instanceof StorageException e && e.reason() != StorageException.Reason.CORRUPT;
    }

    /**
     * The error of a put that may be stored already: appended now, it would stand there twice as soon as storage can be
     * read again.
     */
    static TalosException notCompared(TalosException cause) {
        return new TalosException(
                ErrorCode.HDFS_OPERATION_FAILED,
                Effect.NONE,
                "a put that may repeat an earlier one can't be compared with it: storage can't be read; send it again",
                cause);
    }

    /** The error of a request to a partition that nobody serves now. */
    public static TalosException notServing() {
        return TalosException.refused(
                ErrorCode.PARTITION_NOT_SERVING, "partition not serving error: opening, or storage has failed");
    }
}
