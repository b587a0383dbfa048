// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.runtime.thread.HandTurnedWheel;
import org.talos.server.simulation.SimulationRuns;

/**
 * Tasks that are queued while others are looked at: no interleaving leaves one that nobody will look at. What the calls
 * return is not compared with a sequence of calls.
 */
@Timeout(900) // as much work as it is, it is slow beside other tests
@Tag("full") // processor
@Tag("servers")
public class ExpiryLincheckTest {
    private static final long STEP = 20_000_000; // two ticks of a timer: of many a turn would look like an endless loop
    private static final long END = 20 * STEP;

    private final AtomicLong now = new AtomicLong();
    private final Queue<Long> waiting = new ConcurrentLinkedQueue<>();
    private final HandTurnedWheel timers = HandTurnedWheel.of(now::get);
    private final Expiry expiry = new Expiry(timers.wheel(), now::get, this::endOverdue);

    private OptionalLong endOverdue() {
        OptionalLong earliest = OptionalLong.empty();
        for (Iterator<Long> each = waiting.iterator(); each.hasNext(); ) {
            long deadline = each.next();
            if (deadline < now.get()) {
                each.remove();
            } else if (earliest.isEmpty() || deadline < earliest.getAsLong()) {
                earliest = OptionalLong.of(deadline);
            }
        }
        return earliest;
    }

    @Operation
    public void queue(@Param(gen = IntGen.class, conf = "1:3") int steps) {
        waiting.add(steps * STEP);
        expiry.queued(steps * STEP);
    }

    /** Time passes; one thread turns the timers. */
    @Operation
    public void turn() {
        now.addAndGet(2 * STEP); // what is due after one is certainly looked at
        timers.turn();
    }

    /** Once all deadlines have passed, nothing waits. */
    @Validate
    public void nothingIsForgotten() {
        now.set(END);
        timers.turn();
        now.set(END + STEP);
        timers.turn();
        if (!waiting.isEmpty()) {
            throw new IllegalStateException(waiting + " are never looked at");
        }
    }

    /** One has a look come due while the other queues tasks that it may see or not. */
    @Test
    void noInterleavingForgetsATask() throws NoSuchMethodException {
        Actor early = actor("queue", List.of(1), int.class);
        Actor late = actor("queue", List.of(3), int.class);
        Actor turn = actor("turn", List.of());
        new ModelCheckingOptions()
                .iterations(0)
                .addCustomScenario(scenario(List.of(early, turn), List.of(late)))
                .addCustomScenario(scenario(List.of(late, turn), List.of(early, early)))
                .invocationsPerIteration(SimulationRuns.times(40))
                .minimizeFailedScenario(false)
                .check(ExpiryLincheckTest.class);
    }

    private static ExecutionScenario scenario(List<Actor> one, List<Actor> other) {
        return new ExecutionScenario(List.of(), List.of(one, other), List.of(), null);
    }

    private static Actor actor(String operation, List<Object> arguments, Class<?>... types)
            throws NoSuchMethodException {
        return new Actor(
                ExpiryLincheckTest.class.getMethod(operation, types), arguments, false, false, false, false, false);
    }
}
