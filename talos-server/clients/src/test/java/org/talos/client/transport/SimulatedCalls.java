// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.client.simulation.Machine;
import org.talos.client.simulation.ModelServers;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;

/**
 * The network between a machine and the servers: requests and answers take their time, are late, or are lost; a
 * connection is refused or cut.
 *
 * <p>Confined: as {@link org.talos.client.simulation.Turns}.
 */
public final class SimulatedCalls implements ServerCalls {
    private static final long MILLI = 1_000_000;
    private static final Duration GRACE = Duration.ofMillis(100);

    private final Machine machine;
    private final ModelServers servers;
    private final Faults faults;
    private final Random random;
    private final List<CompletableFuture<?>> underWay = new ArrayList<>();
    private boolean closed;

    /** The frequency of faults of calls, in thousandths, and their delay. Confined: as the network. */
    public static final class Faults {
        private int perMille;
        private int longestMillis = 5;

        /** Sets how many calls of a thousand fail in each of the ways, and how late the late ones are at most. */
        public void set(int failing, int latestMillis) {
            perMille = failing;
            longestMillis = latestMillis;
        }
    }

    /** The network of a machine. */
    public SimulatedCalls(Machine machine, ModelServers servers, Faults faults) {
        this.machine = machine;
        this.servers = servers;
        this.faults = faults;
        random = machine.turns().random();
    }

    @Override
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
            URI server,
            Service service,
            String method,
            @Nullable TBase<?, ?> request,
            @Nullable R result,
            Duration timeout) {
        machine.requireAlive();
        if (closed) {
            return CompletableFuture.failedFuture(CallFailure.closed(true));
        }
        CompletableFuture<@Nullable R> done = new CompletableFuture<>();
        underWay.removeIf(CompletableFuture::isDone);
        underWay.add(done);
        machine.after(timeout.plus(GRACE).toNanos(), () -> fail(done, unanswered(server)));
        if (happens()) {
            machine.after(
                    delay(),
                    () -> fail(done, new CallFailure(CallFailure.CONNECTION, true, true, "no server " + server, null)));
        } else if (!happens()) {
            TBase<?, ?> sent = request == null ? null : request.deepCopy();
            machine.outside(delay(), () -> arrive(server, method, sent, done));
        }
        return done;
    }

    private static CallFailure unanswered(URI server) {
        return new CallFailure(CallFailure.CONNECTION, false, true, "no answer from " + server, null);
    }

    private static CallFailure refused(ErrorCode code, String message) {
        return SignedCalls.refused(new GalaxyTalosException().setErrorCode(code).setErrMsg(message));
    }

    private boolean happens() {
        return random.nextInt(1_000) < faults.perMille;
    }

    private long delay() {
        return happens() ? random.nextInt(1 + faults.longestMillis) * MILLI : 1 + random.nextInt(3_000_000);
    }

    private <R extends TBase<?, ?>> void arrive(
            URI server, String method, @Nullable TBase<?, ?> request, CompletableFuture<@Nullable R> done) {
        servers.handle(server.getAuthority(), method, request, new ModelServers.Answer() {
            @Override
            public void result(@Nullable TBase<?, ?> answer) {
                back(() -> complete(done, answer));
            }

            @Override
            public void failure(TalosException refused) {
                back(() -> fail(done, refused(refused.code(), refused.getMessage())));
            }

            private void back(Runnable arrival) {
                if (happens()) {
                    machine.after(delay(), () -> fail(done, unanswered(server))); // the connection is cut
                } else if (happens()) {
                    machine.after(delay(), () -> fail(done, refused(ErrorCode.UNEXPECTED_ERROR, "made")));
                } else if (happens()) {
                    machine.turns().note("answer lost " + method);
                } else {
                    machine.after(delay(), arrival);
                }
            }
        });
    }

    @SuppressWarnings("unchecked") // the answer to a call has the type of its result
    private static <R extends TBase<?, ?>> void complete(
            CompletableFuture<@Nullable R> done, @Nullable TBase<?, ?> answer) {
        done.complete((R) answer);
    }

    private static void fail(CompletableFuture<?> done, CallFailure why) {
        done.completeExceptionally(why);
    }

    @Override
    public Map<String, String> signedGet(URI server, String path, String query) {
        throw new UnsupportedOperationException("streams are not simulated");
    }

    @Override
    public boolean learnClock(URI server, Map<String, String> headers) {
        throw new UnsupportedOperationException("streams are not simulated");
    }

    @Override
    public void after(Duration time, Runnable task) {
        machine.requireAlive();
        machine.after(time.toNanos(), task);
    }

    @Override
    public long nowMillis() {
        return machine.wallMillis();
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(underWay).forEach(each -> fail(each, CallFailure.closed(false)));
    }
}
