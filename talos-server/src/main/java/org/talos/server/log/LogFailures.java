// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import org.talos.common.error.Effect;
import org.talos.common.error.Exceptions;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.thrift.ErrorCode;

/** Turns failures of storage into errors for clients: without paths, and with the known effect. Immutable. */
public final class LogFailures {
    /** Returns the error for a client whose write finds the disk full. */
    public static final String DISK_FULL_SENTENCE = "the disk of the server's dataDirectory is full: an operator has to"
            + " free space there; then puts resume by themselves";

    /** A larger offset is probably a time without its @. As a time, it is a day in March 1973. */
    private static final long LEAST_MILLIS = 100_000_000_000L;

    private LogFailures() {}

    /** Returns the error of a put that is refused, since the disk has too little room. */
    public static TalosException diskFull(String sentence) {
        return TalosException.of(ErrorCode.HDFS_OPERATION_FAILED, Effect.NONE, Fault.DISK_FULL, sentence, null);
    }

    static TalosException noOffsets() {
        return TalosException.refused(
                ErrorCode.EXCESSIVE_PENDING_MESSAGE,
                "too many full segments wait for the disk; send the put again in a moment");
    }

    /** Returns the failure of a store's future. */
    static StorageException cause(Throwable error) {
        return Exceptions.unwrap(error) instanceof StorageException storage
                ? storage
                : new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "append failed", error);
    }

    /** Returns the error of a put that was handed to the store, and failed. */
    static TalosException ofAppend(StorageException e) {
        return switch (e.reason()) {
            // Clients retry this code by themselves, so it is only for puts that certainly had no effect.
            case FENCED ->
                e.effect() == Effect.NONE
                        ? notServing()
                        : new TalosException(
                                ErrorCode.HDFS_OPERATION_FAILED, e.effect(), "another server has taken over", e);
            case BUSY ->
                TalosException.refused(
                        ErrorCode.EXCESSIVE_PENDING_MESSAGE, "more is put than storage writes: put again later");
            case FULL ->
                TalosException.of(ErrorCode.HDFS_OPERATION_FAILED, e.effect(), Fault.DISK_FULL, DISK_FULL_SENTENCE, e);
            case UNAVAILABLE, CORRUPT ->
                TalosException.of(
                        ErrorCode.HDFS_OPERATION_FAILED,
                        e.effect(),
                        Fault.STORAGE_FAILED,
                        "storage failed while the put was written",
                        e);
        };
    }

    /** Returns the error of a read that failed. */
    static TalosException ofRead(StorageException e) {
        if (e.getCause() instanceof LogReader.Damage damage) {
            TalosException.Offsets offsets = damage.offsets();
            return TalosException.damaged(
                    ErrorCode.HDFS_OPERATION_FAILED,
                    offsets,
                    "messages here are damaged, and are not served: partition " + offsets.partition() + ", offsets "
                            + offsets.first() + " to " + offsets.last() + "; to leave them out, continue at "
                            + (offsets.last() + 1),
                    e);
        }
        return e.reason() == StorageException.Reason.CORRUPT
                ? TalosException.of(
                        ErrorCode.HDFS_OPERATION_FAILED,
                        Effect.NONE,
                        Fault.DAMAGED,
                        "messages here are damaged, and are not served",
                        e)
                : TalosException.of(
                        ErrorCode.HDFS_OPERATION_FAILED,
                        Effect.NONE,
                        Fault.STORAGE_FAILED,
                        "storage failed while messages were read",
                        e);
    }

    /**
     * Returns the error of a read or a reset to an offset without a message.
     *
     * @param what subject of the request
     * @param start offset of the oldest message
     * @param end one past the newest one
     */
    public static TalosException outOfRange(String what, long offset, long start, long end) {
        String held =
                start == end ? "it is empty, the next message gets " + end : "it has " + start + " to " + (end - 1);
        String time = offset >= LEAST_MILLIS ? " (for milliseconds since 1970 write @" + offset + ")" : "";
        return TalosException.refused(
                ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE,
                "Message out range: " + what + " is not in the partition: " + held + time);
    }

    /** Returns the error of a deletion that failed. */
    static TalosException ofDeletion(StorageException e) {
        return e.reason() == Reason.FENCED && e.effect() == Effect.NONE ? notServing() : ofUse(e);
    }

    /** Returns the error of any other use of a store. */
    public static TalosException ofUse(StorageException e) {
        boolean full = e.reason() == Reason.FULL;
        return TalosException.of(
                ErrorCode.HDFS_OPERATION_FAILED,
                e.effect(),
                full ? Fault.DISK_FULL : Fault.STORAGE_FAILED,
                full ? DISK_FULL_SENTENCE : "storage failed",
                e);
    }

    /** Returns whether a read that failed may succeed later. */
    static boolean mayPass(TalosException ofRead) {
        return ofRead.getCause() instanceof StorageException e && e.reason() != StorageException.Reason.CORRUPT;
    }

    /** Returns the error of a put that may already be stored: appended now, it would be in the log twice. */
    static TalosException notCompared(TalosException cause) {
        return TalosException.of(
                ErrorCode.HDFS_OPERATION_FAILED,
                Effect.NONE,
                Fault.STORAGE_FAILED,
                "a put that may repeat an earlier one cannot be compared with it: storage cannot be read; send it again",
                cause);
    }

    /**
     * Returns the error for a request to a partition whose log is damaged: it is not served until an operator has
     * acted.
     */
    public static TalosException damaged() {
        return TalosException.of(
                ErrorCode.PARTITION_NOT_SERVING,
                Effect.NONE,
                Fault.DAMAGED,
                "partition not serving error: its log is damaged, and stays away until an operator has repaired it",
                null);
    }

    /** Returns the error for a request to a partition that no server serves now. */
    public static TalosException notServing() {
        return TalosException.refused(
                ErrorCode.PARTITION_NOT_SERVING, "partition not serving error: opening, or storage has failed");
    }
}
