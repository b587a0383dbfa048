// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.Exceptions;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.runtime.DiskSpace;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;

/** Turns failures into those of the protocol. Immutable. */
public final class Failures {
    private Failures() {}

    /** Returns the protocol's failure for one of the metadata store. */
    public static TalosException of(MetadataException e) {
        return switch (e.reason()) {
            case BUSY ->
                new TalosException(ErrorCode.HBASE_OPERATION_BLOCKED, e.effect(), "the metadata store is busy", e);
            case FULL ->
                TalosException.of(
                        ErrorCode.HBASE_OPERATION_FAILED,
                        e.effect(),
                        Fault.DISK_FULL,
                        LogFailures.DISK_FULL_SENTENCE,
                        e);
            case CORRUPT ->
                TalosException.of(
                        ErrorCode.HBASE_OPERATION_FAILED,
                        e.effect(),
                        Fault.DAMAGED,
                        "rows of the metadata are damaged",
                        e);
            case UNAVAILABLE, UNKNOWN_FORMAT ->
                new TalosException(ErrorCode.HBASE_OPERATION_FAILED, e.effect(), "the metadata store failed", e);
        };
    }

    /** Returns the protocol's failure for a row that is refused, since this machine's disk has no room. */
    public static TalosException diskFull(DiskSpace.Shortage shortage) {
        return TalosException.of(
                ErrorCode.HBASE_OPERATION_FAILED, Effect.NONE, Fault.DISK_FULL, shortage.sentence(), null);
    }

    /**
     * Returns the protocol's failure for an exception or an exceptional completion of a call. An unexpected exception
     * has an unknown effect.
     */
    public static TalosException of(Throwable thrown) {
        Throwable cause = Exceptions.unwrap(thrown);
        return cause instanceof MetadataException metadata ? of(metadata) : TalosException.of(cause);
    }

    /** Returns the failure of a call that was partly carried out: its effect is unknown. */
    public static TalosException partly(Exception e) {
        return of(e).withEffect(Effect.UNKNOWN);
    }

    /** Refuses a parameter of a topic, quota, or grant; the message has its name, its value, and the expected value. */
    public static TalosException invalid(String message) {
        return TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, message);
    }

    /**
     * Returns the failure for Thrift clients. It has all three fields of the contract, because each SDK shows a
     * different one, and the effect.
     */
    public static GalaxyTalosException toThrift(TalosException e) {
        ErrorCode code = ErrorTraits.thriftCodeOf(e);
        GalaxyTalosException shown = new GalaxyTalosException();
        shown.setErrorCode(code);
        shown.setErrMsg(e.getMessage());
        shown.setDetails(code + ": " + e.getMessage() + "; effect: " + e.effect());
        shown.setEffect(e.effect().name());
        return shown;
    }
}
