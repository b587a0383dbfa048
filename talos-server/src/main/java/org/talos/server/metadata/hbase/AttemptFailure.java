// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.CallDroppedException;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.NoServerForRegionException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.ipc.FailedServerException;
import org.apache.hadoop.hbase.ipc.ServerNotRunningYetException;
import org.apache.hadoop.hbase.ipc.ServerTooBusyException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.regionserver.WrongRegionException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/** One attempt at a call did not get an answer, and what that says. Immutable. */
final class AttemptFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** The servers are there and will not now: overloaded, or the region is on its way to another. */
    private static final List<Class<? extends Throwable>> BUSY = List.of(
            NotServingRegionException.class,
            RegionTooBusyException.class,
            CallQueueTooBigException.class,
            CallDroppedException.class,
            ServerTooBusyException.class,
            ServerNotRunningYetException.class,
            WrongRegionException.class);

    /** Nobody was there to take the call. */
    private static final List<Class<? extends Throwable>> UNREACHED = List.of(
            ConnectException.class,
            UnknownHostException.class,
            FailedServerException.class,
            NoServerForRegionException.class);

    /** Nothing that time heals. */
    private static final List<Class<? extends Throwable>> REFUSED = List.of(
            TableNotFoundException.class,
            TableNotEnabledException.class,
            NoSuchColumnFamilyException.class,
            AccessDeniedException.class);

    private final Kind kind;
    private final Throwable why;

    /** What is known of the attempt. */
    enum Kind {
        /** Not carried out: the servers are busy. */
        BUSY,
        /** Not carried out: no server was reached. */
        UNREACHED,
        /** Not carried out, and never will be. */
        REFUSED,
        /** It may be carried out, or have been, or be still on its way. */
        NO_ANSWER,
        /** As NO_ANSWER, and the caller was told to stop. */
        INTERRUPTED
    }

    AttemptFailure(Kind kind, Throwable cause) {
        super(cause.toString(), cause);
        this.kind = kind;
        this.why = cause;
    }

    /** What HBase's client failed with, whatever it is wrapped in. */
    static AttemptFailure of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        return new AttemptFailure(kindOf(cause), cause);
    }

    /** The same, when more is known of the attempt than the failure says. */
    AttemptFailure as(Kind known) {
        return new AttemptFailure(known, why);
    }

    Kind kind() {
        return kind;
    }

    private static Kind kindOf(Throwable thrown) {
        for (@Nullable Throwable at = thrown; at != null; at = at.getCause()) {
            if (isOne(at, BUSY)) {
                return Kind.BUSY;
            }
            if (isOne(at, UNREACHED)) {
                return Kind.UNREACHED;
            }
            if (isOne(at, REFUSED)) {
                return Kind.REFUSED;
            }
        }
        return Kind.NO_ANSWER;
    }

    private static boolean isOne(Throwable thrown, List<Class<? extends Throwable>> types) {
        return types.stream().anyMatch(type -> type.isInstance(thrown));
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable at = thrown;
        while (wraps(at) && at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }

    private static boolean wraps(Throwable thrown) {
        return thrown instanceof CompletionException
                || thrown instanceof ExecutionException
                || thrown instanceof RetriesExhaustedException;
    }
}
