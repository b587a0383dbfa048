// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.partition.serving.Failures;
import org.talos.thrift.ErrorCode;

/**
 * Makes the calls of a member: to any server, and for no longer than a timeout. Knows until when the member's leases
 * last at least.
 *
 * <p>Confined: as {@link org.talos.server.simulation.fiber.Fibers}.
 */
final class GroupClient {
    private static final long TIMEOUT_NANOS = 6 * GroupWorld.SECOND;
    private static final long TOLERANCE_NANOS = 4 * GroupWorld.SECOND; // clocks of servers differ

    private final GroupWorld world;
    private final List<GroupServer.Call<?>> unanswered = new ArrayList<>();
    private long begunNanos; // the last call
    private boolean right; // the server of the last call knew the time, and no earlier call is under way

    GroupClient(GroupWorld world) {
        this.world = world;
    }

    /** A call as a server handles it. */
    @FunctionalInterface
    interface Handler<T> {
        CompletionStage<T> handle(GroupServer server) throws Exception;
    }

    /** Makes a call. */
    <T> T call(Handler<T> handler) {
        return call(handler, done -> {});
    }

    /**
     * Makes a call.
     *
     * @param done called with the result where the call is handled, also if the answer is lost
     * @throws TalosException the call failed, or had no answer
     */
    <T> T call(Handler<T> handler, Consumer<T> done) {
        unanswered.removeIf(each -> !each.mayRun());
        GroupServer server = world.anyServer();
        begunNanos = world.fibers.nanos();
        GroupServer.Call<T> call = server.call(() -> handler.handle(server), done);
        if (!world.fibers.await(call.answer, TIMEOUT_NANOS)) {
            unanswered.add(call);
            right = false;
            throw new TalosException(ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.UNKNOWN, "no answer");
        }
        right = call.wasRight() && unanswered.stream().noneMatch(GroupServer.Call::mayRun);
        try {
            return call.answer.get();
        } catch (ExecutionException | InterruptedException e) {
            throw Failures.of(e);
        }
    }

    /** Returns until when a lease lasts at least that the last call has renewed, 0 if nothing is promised. */
    long lasts(long leaseMillis) {
        return right ? begunNanos + leaseMillis * GroupWorld.MILLI - TOLERANCE_NANOS : 0;
    }

    /** The lease is over: was it promised to last longer? */
    void requireOver(String member, long lastsNanos) {
        if (world.fibers.nanos() < lastsNanos && unanswered.stream().noneMatch(GroupServer.Call::mayRun)) {
            throw world.fibers.violated(
                    GroupModel.LEASE,
                    member + " lost it " + (lastsNanos - world.fibers.nanos()) / GroupWorld.MILLI
                            + " ms before its end");
        }
    }
}
