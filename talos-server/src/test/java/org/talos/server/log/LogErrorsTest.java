// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.large;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.dedupe.RememberedPuts;

/** Whatever an append throws ends the log, and the puts that would wait for it. */
@Timeout(30)
class LogErrorsTest {
    private final LogFixture fixture = new LogFixture();

    /** Throws at its n-th run from now, once. */
    private static Runnable failing(int run) {
        AtomicInteger left = new AtomicInteger(run);
        return () -> {
            if (left.decrementAndGet() == 0) {
                throw new LinkageError("made to fail");
            }
        };
    }

    private static void assertEnded(PutTicket ticket, Effect effect) {
        assertThatThrownBy(() -> ticket.firstOffset().getNow(null))
                .cause()
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(effect));
    }

    private void assertGoesOnWithOffset(long offset) throws Exception {
        fixture.onClock = () -> {};
        fixture.onTicker = () -> {};
        PartitionLog reopened = fixture.open();
        assertThat(append(reopened, put("after")).firstOffset()).isCompletedWithValue(offset);
    }

    @Test
    void errorWhilePutsArePlacedLeavesNoHole() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("before")).firstOffset().join();
        fixture.onClock = failing(2); // the first put reads it, the second one cannot

        List<PutTicket> tickets = log.append(List.of(put("b"), put("c")));

        tickets.forEach(ticket -> assertEnded(ticket, Effect.NONE));
        assertThat(fixture.failures).isEqualTo(1);
        assertEnded(append(log, put("d")), Effect.NONE);
        assertGoesOnWithOffset(1);
    }

    @Test
    void errorWhilePutsBecomeDurableLeavesNobodyWaiting() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("before")).firstOffset().join();
        fixture.store.holdFlushes();
        List<PutTicket> tickets = List.of(append(log, put("b")), append(log, put("c")));
        fixture.onTicker = failing(1);

        fixture.store.releaseFlushes();

        tickets.forEach(ticket -> assertEnded(ticket, Effect.UNKNOWN));
        assertThat(fixture.failures).isEqualTo(1);
        assertGoesOnWithOffset(3);
    }

    @Test
    void errorBehindASegmentThatIsMadeLeavesNobodyWaiting() throws Exception {
        Queue<Runnable> beginnings = new ArrayDeque<>();
        fixture.openings = beginnings::add;
        PartitionLog log = fixture.open();
        List<PutTicket> tickets = List.of(append(log, put("a")), append(log, put("b")));
        fixture.onClock = failing(2);

        beginnings.remove().run();

        tickets.forEach(ticket -> assertEnded(ticket, Effect.NONE));
        assertThat(fixture.failures).isEqualTo(1);
        fixture.openings = Runnable::run;
        assertGoesOnWithOffset(0);
        assertThat(texts(fixture.open(), 0)).containsExactly("after");
    }

    /** Else the segment stays unsealed, and retention stops in front of it for as long as the server runs. */
    @Test
    void errorWhileASegmentIsSealedHasTheLogOpenedAgain() throws Exception {
        PartitionLog log = fixture.open();
        append(log, large("a"));
        append(log, put("b"));
        fixture.store.onAccess(failing(1));

        fixture.settle();

        assertThat(fixture.failures).isEqualTo(1);
        log.close();
        PartitionLog reopened = fixture.open();
        fixture.millis += 3_600_000;
        fixture.retain(reopened, 1_000, 0);
        assertThat(reopened.startOffset()).isEqualTo(2);
    }

    /** Room for eight puts, six of which one log may take. */
    private static DedupeMemory small() {
        return new DedupeMemory(8 * RememberedPuts.BYTES_OF_PUT);
    }

    private static void assertNothingHeld(DedupeMemory memory) {
        DedupeMemory.Holder other = memory.holder();
        other.hold(6);
        assertThat(other.isOver()).as("something is held besides").isFalse();
    }

    @Test
    void errorWhileTheLastSegmentIsSealedLeavesNothingRemembered() throws Exception {
        DedupeMemory memory = small();
        fixture.dedupeMemory = () -> memory;
        fixture.dedupeWindow = 1;
        PartitionLog log = fixture.open();
        log.append(List.of(put("a"), put("b"), put("c")));
        fixture.store.onAccess(failing(1));

        log.close();

        assertNothingHeld(memory);
        assertGoesOnWithOffset(3);
    }

    @Test
    void errorWhileALogIsRecoveredLeavesNothingRemembered() throws Exception {
        DedupeMemory memory = small();
        fixture.dedupeMemory = () -> memory;
        fixture.dedupeWindow = 1;
        for (String each : List.of("a", "b", "c")) {
            PartitionLog log = fixture.open();
            log.append(List.of(put(each), put(each + "1"), put(each + "2")));
            log.close();
        }
        fixture.store.onAccess(failing(2)); // the puts of the first segment are remembered

        assertThatThrownBy(fixture::open).isInstanceOf(LinkageError.class);

        assertNothingHeld(memory);
        assertGoesOnWithOffset(9);
    }
}
