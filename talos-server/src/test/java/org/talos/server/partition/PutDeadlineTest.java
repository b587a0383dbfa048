// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.single.SingleServerCoordinator;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.SimulatedPartitions;
import org.talos.server.runtime.thread.HandTurnedWheel;

/** Puts that storage does not answer in time. */
class PutDeadlineTest extends HandoverFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HandTurnedWheel timers = HandTurnedWheel.of(time::nanos);
    private final Queue<Runnable> selector = new ArrayDeque<>();

    private CompletableFuture<AppendResult> put() {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("message".getBytes(UTF_8)));
        return new SimulatedPartitions(manager, new SingleServerCoordinator(), timers.wheel())
                .put(
                        ID,
                        new Put("p#1", Put.Origin.UNIQUE, List.of(block)),
                        new ForwardContext("ann", time.nanos() + PATIENCE.toNanos(), selector::add))
                .toCompletableFuture();
    }

    @Test
    void latePutIsAnsweredWhereItsRequestGoesOn() {
        follow(true);
        memory.holdFlushes();
        CompletableFuture<AppendResult> result = put();

        time.pass(PATIENCE.plusSeconds(1));
        timers.turn();
        assertThat(result).as("all deadlines wait for the timers' thread").isNotDone();
        selector.remove().run();

        assertThat(result).isCompletedExceptionally();
        memory.releaseFlushes();
        assertThat(selector).as("the put's own end, which comes too late").hasSize(1);
        selector.remove().run();
    }
}
