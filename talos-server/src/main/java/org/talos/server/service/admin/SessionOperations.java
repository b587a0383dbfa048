// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionEnds;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.thrift.ErrorCode;

/**
 * The operations on sessions that change rows: their begin and their end.
 *
 * <p>Thread-safe.
 */
public final class SessionOperations {
    private static final String KEY = "sessions";

    private final SessionEnds ends;
    private final ControlPool pool;

    /** Sessions whose ends are these. */
    public SessionOperations(SessionEnds ends, ControlPool pool) {
        this.ends = ends;
        this.pool = pool;
    }

    /** Returns the epoch of a session of the user that begins now. */
    public CompletionStage<Long> epoch(CallContext context, Principal user) {
        return context.guarded(() -> run(context, user, () -> ends.epoch(user.userId())));
    }

    /** Ends a session, on every server once that has read the rows again. */
    public CompletionStage<@Nullable Void> end(CallContext context, Session session) {
        Principal user = session.user();
        return context.guarded(() -> run(context, user, () -> {
                    ends.end(user.userId(), session.id(), session.end());
                    return true;
                }))
                .thenApply(done -> null);
    }

    /**
     * Ends all present sessions of the caller, likewise.
     *
     * @return fails with PERMISSION_DENIED_ERROR if the caller acts for another user
     */
    public CompletionStage<@Nullable Void> endAll(CallContext context) {
        Principal user = context.principal();
        return context.guarded(() -> {
                    if (user.actingFor() != null) {
                        throw TalosException.refused(
                                ErrorCode.PERMISSION_DENIED_ERROR, "only the session's own user may end it");
                    }
                    return run(context, user, () -> {
                        ends.endAll(user.userId());
                        return true;
                    });
                })
                .thenApply(done -> null);
    }

    private <T> CompletionStage<T> run(CallContext context, Principal user, Callable<T> work) {
        return pool.run(user.userId(), KEY, context.deadlineNanos(), work);
    }
}
