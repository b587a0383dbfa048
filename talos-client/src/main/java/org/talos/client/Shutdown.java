// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.ClientThreads;

/**
 * Closes what a client has opened: first all consumers at once, because their processors may use the client's
 * producers, then all producers at once, and finally the calls.
 *
 * <p>Thread-safe.
 */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    private final List<Closing> open;
    private final ClientRuntime runtime;
    private final LongSupplier nanos;
    private final Runnable end;
    private final Executor threads;

    /** @param end ends the calls */
    Shutdown(List<Closing> open, ClientRuntime runtime, LongSupplier nanos, Runnable end) {
        this.open = open;
        this.runtime = runtime;
        this.nanos = nanos;
        this.end = end;
        threads = ClientThreads.sure(runtime.pool("close"));
    }

    /**
     * Closes all, and waits for the end. If this thread runs the program's code for one of them, or is interrupted,
     * closing continues in the background.
     *
     * @param within for all together; empty for the timeout of each
     */
    void run(Optional<Duration> within) {
        boolean mayWait = open.stream().noneMatch(Closing::isCallingBack);
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                closeAll(within);
            } finally {
                end(over);
            }
        });
        if (mayWait) {
            await(over);
        }
    }

    private void end(CompletableFuture<@Nullable Void> over) {
        try {
            end.run();
        } finally {
            over.complete(null);
        }
    }

    /** If there are producers, consumers have half of the time, and producers the rest. */
    private void closeAll(Optional<Duration> within) {
        long begun = nanos.getAsLong();
        List<Closing> consumers = open.stream().filter(Closing::isConsumer).toList();
        List<Closing> producers =
                open.stream().filter(each -> !each.isConsumer()).toList();
        closeTogether(consumers, producers.isEmpty() ? within : within.map(time -> time.dividedBy(2)));
        closeTogether(producers, within.map(time -> left(time, begun)));
    }

    private Duration left(Duration time, long begunNanos) {
        Duration left = time.minusNanos(nanos.getAsLong() - begunNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void closeTogether(List<Closing> some, Optional<Duration> within) {
        List<CompletableFuture<?>> closed = new ArrayList<>();
        for (Closing each : some) {
            CompletableFuture<@Nullable Void> one = new CompletableFuture<>();
            closed.add(one);
            threads.execute(() -> {
                try {
                    each.close(within);
                } catch (RuntimeException | Error e) { // the others are closed nevertheless
                    LOG.error("producer or consumer close failed", e);
                } finally {
                    one.complete(null);
                }
            });
        }
        await(CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new)));
    }

    private void await(Future<?> what) {
        try {
            var unused = runtime.get(what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a future that always completes has failed", e);
        }
    }
}
