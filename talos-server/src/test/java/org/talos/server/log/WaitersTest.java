// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.talos.server.log.PartitionLog.End;

class WaitersTest {
    private final Queue<Runnable> readers = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private End end = new End(10, 1_000);
    private final Waiters waiters = new Waiters(readers::add, () -> end);

    private EndWait add(String name, long offset, long bytes) {
        EndWait wait = new EndWait(offset, bytes, null, () -> ran.add(name));
        waiters.add(wait);
        return wait;
    }

    private void move(long offset, long bytes) {
        end = new End(offset, bytes);
        waiters.endMoved();
    }

    private void serve() {
        for (Runnable task = readers.poll(); task != null; task = readers.poll()) {
            task.run();
        }
    }

    @Test
    void whoMovesTheEndRunsNothing() {
        add("a", 10, Long.MAX_VALUE);

        move(11, 1_100);

        assertThat(ran).isEmpty();
        serve();
        assertThat(ran).containsExactly("a");
    }

    @Test
    void veryManyAreTakenInPieces() {
        for (int wait = 0; wait < 1_000; wait++) {
            add("a", 10, Long.MAX_VALUE);
        }

        move(11, 1_100);
        readers.remove().run();

        assertThat(ran).hasSizeBetween(1, 256);
        serve();
        assertThat(ran).hasSize(1_000);
    }

    @Test
    void closedLogWakesVeryMany() {
        for (int wait = 0; wait < 1_000; wait++) {
            add("a", 10, Long.MAX_VALUE);
        }

        waiters.close();
        serve();

        assertThat(ran).hasSize(1_000);
    }

    @Test
    void readersAreNotCalledWhileNobodyIsMet() {
        add("bytes", 100, 2_000);

        move(11, 1_999);
        assertThat(readers).isEmpty();
        move(12, 2_000);
        serve();

        assertThat(ran).containsExactly("bytes");
    }

    @Test
    void offsetOrBytesWhicheverIsFirst() {
        add("offset", 19, 2_000);
        add("bytes", 30, 1_500);
        add("neither", 30, 2_000);

        move(20, 1_500);
        serve();

        assertThat(ran).containsExactlyInAnyOrder("offset", "bytes");
    }

    @Test
    void readersAreCalledOnceHoweverOftenTheEndMoves() {
        for (int i = 0; i < 100; i++) {
            add("a", 10, Long.MAX_VALUE);
        }

        move(11, 1_100);
        move(12, 1_200);

        assertThat(readers).hasSize(1);
        serve();
        assertThat(ran).hasSize(100);
    }

    @Test
    void anotherReaderIsCalledBeforeATaskThatMayTakeItsTime() {
        add("a", 10, Long.MAX_VALUE);
        waiters.add(new EndWait(9 + 1, () -> {
            serve(); // the one that was called meanwhile
            ran.add("slow");
        }));
        add("b", 10, Long.MAX_VALUE);

        move(11, 1_100);
        serve();

        assertThat(ran).containsExactlyInAnyOrder("a", "slow", "b").endsWith("slow");
    }

    @Test
    void endThatMovesWhileReadersAreServedIsSeen() {
        waiters.add(new EndWait(10, () -> {
            ran.add("first");
            add("second", 11, Long.MAX_VALUE);
            move(12, 1_200);
        }));

        move(11, 1_100);
        serve();

        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void whatIsMetAlreadyIsHandedOverTo() {
        add("a", 9, Long.MAX_VALUE);

        assertThat(ran).isEmpty();
        serve();
        assertThat(ran).containsExactly("a");
    }

    @Test
    void cancelledOneNeitherRunsNorCallsReaders() {
        add("a", 10, 1_100).cancel();

        move(11, 1_100);

        assertThat(readers).isEmpty();
        assertThat(ran).isEmpty();
    }

    @Test
    void wokenOneRunsOnceAlsoIfItIsWokenBeforeItIsAdded() {
        EndWait wait = add("a", 100, Long.MAX_VALUE);
        wait.wake();
        wait.wake();
        EndWait early = new EndWait(100, () -> ran.add("early"));
        early.wake();
        waiters.add(early);

        serve();

        assertThat(ran).containsExactlyInAnyOrder("a", "early");
    }

    @Test
    void closingRunsThoseWhoWaitAndThoseWhoCome() {
        add("before", 100, 5_000);

        waiters.close();
        serve();
        add("after", 100, 5_000);
        serve();

        assertThat(ran).containsExactly("before", "after");
    }

    @Test
    void taskThatFailsLeavesTheOthersTheirTurn() {
        waiters.add(new EndWait(10, () -> {
            throw new IllegalStateException("as if");
        }));
        add("b", 10, Long.MAX_VALUE);

        move(11, 1_100);
        serve();

        assertThat(ran).containsExactly("b");
    }

    @Test
    void readersThatHaveStoppedLoseNobody() {
        Waiters stopped = new Waiters(
                task -> {
                    throw new RejectedExecutionException("stopped");
                },
                () -> end);
        stopped.add(new EndWait(10, () -> ran.add("a")));
        stopped.add(new EndWait(10, () -> ran.add("b")));

        end = new End(11, 1_100);
        stopped.endMoved();

        assertThat(ran).containsExactly("a", "b");
    }
}
