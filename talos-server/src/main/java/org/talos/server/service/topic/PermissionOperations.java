// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.ControlPool;
import org.talos.thrift.Grantee;
import org.talos.thrift.ListPermissionResponse;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Shows and changes the permissions of topics, for every front end.
 *
 * <p>Thread-safe; nothing blocks. A failed operation completes with a TalosException.
 */
public final class PermissionOperations {
    private final PermissionCalls calls;
    private final ControlPool pool;

    /** Takes the calls to run in the control pool. */
    public PermissionOperations(PermissionCalls calls, ControlPool pool) {
        this.calls = calls;
        this.pool = pool;
    }

    /** Returns the permission bits of each user, team and org. Reads memory only. */
    public CompletionStage<ListPermissionResponse> list(CallContext context, TopicTalosResourceName topic) {
        return context.guarded(
                () -> CompletableFuture.completedFuture(calls.listPermission(Caller.of(context), topic)));
    }

    /** Sets the permission of a user, team, or org. */
    public CompletionStage<@Nullable Void> set(
            CallContext context, TopicTalosResourceName topic, Grantee grantee, Permission permission) {
        return context.guarded(() -> pool.change(
                context, TopicKeys.ofOwner(topic), caller -> calls.setPermission(caller, topic, grantee, permission)));
    }

    /** Revokes the permission of a user, team or org; may be repeated. */
    public CompletionStage<@Nullable Void> revoke(CallContext context, TopicTalosResourceName topic, Grantee grantee) {
        return context.guarded(() ->
                pool.change(context, TopicKeys.of(topic), caller -> calls.revokePermission(caller, topic, grantee)));
    }
}
