// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadinessTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Readiness readiness = new Readiness(nanos::get);

    private void check(Executor threads) {
        var unused = readiness.check(threads);
    }

    @Test
    void serverIsNotReadyBeforeItsFirstCheckAndWhileItStops() {
        assertThat(readiness.reasons()).containsKey("server");
        check(Runnable::run);
        assertThat(readiness.reasons()).isEmpty();
        readiness.stop();
        check(Runnable::run);
        assertThat(readiness.reasons()).containsKey("server");
    }

    @Test
    void eachFailingCheckIsNamedUntilItPasses() {
        Optional<?>[] disk = {Optional.of("full")};
        readiness.watch("storage", () -> disk[0].map(String::valueOf));
        readiness.watch("metadata", () -> {
            throw new IOException("gone");
        });

        check(Runnable::run);
        assertThat(readiness.reasons()).containsEntry("storage", "full").containsEntry("metadata", "gone");

        disk[0] = Optional.empty();
        check(Runnable::run);
        assertThat(readiness.reasons()).containsOnlyKeys("metadata");
    }

    @Test
    void checkThatHangsFailsAndHoldsUpNoOther() {
        Deque<Runnable> hanging = new ArrayDeque<>();
        Optional<?>[] disk = {Optional.empty()};
        readiness.watch("metadata", Optional::empty);
        readiness.watch("storage", () -> disk[0].map(String::valueOf));
        check(Runnable::run);
        check(task -> {
            if (hanging.isEmpty()) {
                hanging.add(task); // the metadata's: they are run by name
            } else {
                task.run();
            }
        });
        assertThat(hanging).hasSize(1);
        assertThat(readiness.reasons()).isEmpty();

        nanos.addAndGet(Readiness.FRESH.plusSeconds(1).toNanos());
        disk[0] = Optional.of("full");
        check(Runnable::run);

        assertThat(readiness.reasons())
                .containsEntry("metadata", "the check has not answered for 21 s")
                .containsEntry("storage", "full");
        hanging.remove().run();
        assertThat(readiness.reasons()).containsOnlyKeys("storage");
    }

    @Test
    void serverThatIsNotCheckedAnyMoreIsNotReady() {
        readiness.watch("storage", Optional::empty);
        check(Runnable::run);

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());

        assertThat(readiness.reasons()).containsOnlyKeys("storage");
    }

    @Test
    void whatOnlyAnotherProcessMendsIsSaidAtOnceAndKeepsTheServerFromBeingReady() {
        Optional<?>[] end = {Optional.empty()};
        readiness.watchEnd("connections", () -> end[0].map(String::valueOf));
        check(Runnable::run);
        assertThat(readiness.ends()).isEmpty();
        assertThat(readiness.reasons()).isEmpty();

        end[0] = Optional.of("lost");

        assertThat(readiness.ends()).containsEntry("connections", "lost");
        assertThat(readiness.reasons()).containsEntry("connections", "lost");
    }

    @Test
    void failingCheckEndsNoProcess() {
        readiness.watch("storage", () -> Optional.of("full"));
        check(Runnable::run);

        assertThat(readiness.ends()).isEmpty();
    }
}
