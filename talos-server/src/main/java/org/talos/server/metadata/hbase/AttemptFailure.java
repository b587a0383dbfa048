// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
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
import org.talos.common.error.Exceptions;

/** A failed attempt at a call, and its known effect. Immutable. */
final class AttemptFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** The server has refused the call for now: it is overloaded, or the region moves to another. */
    private static final List<Class<? extends Throwable>> BUSY = List.of(
            NotServingRegionException.class,
            RegionTooBusyException.class,
            CallQueueTooBigException.class,
            CallDroppedException.class,
            ServerTooBusyException.class,
            ServerNotRunningYetException.class,
            WrongRegionException.class);

    /** No server was reached. */
    private static final List<Class<? extends Throwable>> UNREACHED = List.of(
            ConnectException.class,
            UnknownHostException.class,
            FailedServerException.class,
            NoServerForRegionException.class);

    /** A retry does not help. */
    private static final List<Class<? extends Throwable>> REFUSED = List.of(
            TableNotFoundException.class,
            TableNotEnabledException.class,
            NoSuchColumnFamilyException.class,
            AccessDeniedException.class);

    private final Kind kind;
    private final Throwable why;

    /** The knowledge about the attempt. */
    enum Kind {
        /** Not carried out: the servers are busy. */
        BUSY,
        /** Not carried out: no server was reached. */
        UNREACHED,
        /** Not carried out; a retry does not help. */
        REFUSED,
        /** It may have been carried out, or still be in flight. */
        NO_ANSWER,
        /** Like NO_ANSWER; the calling thread was interrupted. */
        INTERRUPTED
    }

    AttemptFailure(Kind kind, Throwable cause) {
        super(cause.toString(), cause);
        this.kind = kind;
        this.why = cause;
    }

    /** The failure of HBase's client, unwrapped and classified. */
    static AttemptFailure of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        return new AttemptFailure(kindOf(cause), cause);
    }

    /** This failure as another kind, where more is known about the attempt than its exception says. */
    AttemptFailure withKind(Kind known) {
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
        Throwable at = Exceptions.unwrap(thrown);
        while (at instanceof RetriesExhaustedException) {
            Throwable cause = at.getCause();
            if (cause == null) {
                return at;
            }
            at = Exceptions.unwrap(cause);
        }
        return at;
    }
}
