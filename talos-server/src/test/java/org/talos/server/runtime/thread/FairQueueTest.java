// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The turns of users. An element is named after its user, by one letter, and its number. */
class FairQueueTest {
    private static final int QUANTUM = 10;

    private final FairQueue<String> queue = new FairQueue<>(QUANTUM, Integer.MAX_VALUE);

    private void add(String user, int elements) {
        for (int i = 1; i <= elements; i++) {
            queue.add(user, user + i);
        }
    }

    /** Takes elements, each of which ends before the next one is taken. */
    private List<String> run(int most, Map<String, Integer> costs) {
        List<String> order = new ArrayList<>();
        String next = order.size() < most ? queue.poll() : null;
        while (next != null) {
            order.add(next);
            String user = next.substring(0, 1);
            queue.end(user, costs.getOrDefault(user, QUANTUM));
            next = order.size() < most ? queue.poll() : null;
        }
        return order;
    }

    private List<String> runAll(Map<String, Integer> costs) {
        return run(Integer.MAX_VALUE, costs);
    }

    @Test
    void usersTakeTurns() {
        add("b", 3);
        add("a", 1);

        assertThat(runAll(Map.of())).containsExactly("b1", "a1", "b2", "b3");
    }

    @Test
    void userWhoseWorkCostsMoreWaitsForTheRoundsThatPayForIt() {
        add("b", 3);
        add("a", 8);

        assertThat(runAll(Map.of("b", 35)))
                .containsExactly("b1", "a1", "a2", "a3", "b2", "a4", "a5", "a6", "a7", "b3", "a8");
    }

    @Test
    void userWhoseWorkCostsLessHasMoreOfItInARound() {
        add("b", 2);
        add("a", 7);

        assertThat(runAll(Map.of("a", 2))).containsExactly("b1", "a1", "a2", "a3", "a4", "a5", "b2", "a6", "a7");
    }

    @Test
    void turnEndsAlthoughNoCostIsMeasured() {
        add("b", 100);
        add("a", 1);

        assertThat(runAll(Map.of("b", 0)).indexOf("a1")).isEqualTo(QUANTUM);
    }

    @Test
    void negativeCostIsNoCredit() {
        add("b", 100);
        add("a", 1);

        assertThat(runAll(Map.of("b", -1_000)).indexOf("a1")).isEqualTo(QUANTUM);
    }

    @Test
    void workThatHasNotEndedCountsAsAQuantum() {
        add("b", 2);
        add("a", 1);

        assertThat(queue.poll()).isEqualTo("b1");
        assertThat(queue.poll()).isEqualTo("a1");
        assertThat(queue.poll()).isEqualTo("b2");
    }

    @Test
    void userAloneWaitsForNoRound() {
        add("b", 4);

        assertThat(runAll(Map.of("b", 1_000 * QUANTUM))).containsExactly("b1", "b2", "b3", "b4");
    }

    @Test
    void userWithManyRoundsToPayForIsServedAsSoonAsNobodyElseWaits() {
        add("b", 3);
        add("a", 2);

        assertThat(runAll(Map.of("b", 1_000_000 * QUANTUM))).containsExactly("b1", "a1", "a2", "b2", "b3");
    }

    @Test
    void debtStaysWhileOthersWait() {
        add("b", 1);
        add("a", 9);
        assertThat(run(2, Map.of("b", 3 * QUANTUM))).containsExactly("b1", "a1"); // nothing of b waits any more

        queue.add("b", "b2");

        assertThat(runAll(Map.of())).startsWith("a2", "a3", "b2");
    }

    @Test
    void debtIsForgottenOnceNobodyWaits() {
        add("b", 1);
        add("a", 1);
        assertThat(runAll(Map.of("b", 1_000 * QUANTUM))).containsExactly("b1", "a1");

        queue.add("b", "b2");
        add("a", 2);

        assertThat(runAll(Map.of())).containsExactly("b2", "a1", "a2");
        assertThat(queue.users()).isZero();
    }

    @Test
    void userHasNoMoreRunningThanMayBeWhileOthersAreServed() {
        FairQueue<String> bounded = new FairQueue<>(QUANTUM, 2);
        for (String each : List.of("b1", "b2", "b3", "a1")) {
            bounded.add(each.substring(0, 1), each);
        }

        assertThat(bounded.poll()).isEqualTo("b1");
        assertThat(bounded.poll()).isEqualTo("a1");
        assertThat(bounded.poll()).isEqualTo("b2");
        assertThat(bounded.poll()).as("b has two running").isNull();
        assertThat(bounded.isEmpty()).isFalse();
        bounded.end("b", 50 * QUANTUM);
        assertThat(bounded.poll()).isEqualTo("b3");
    }

    @Test
    void nothingIsKeptOfUsersWithoutWork() {
        for (int i = 0; i < 1_000; i++) {
            queue.add("user " + i, "work");
            assertThat(queue.poll()).isEqualTo("work");
            queue.end("user " + i, 7 * QUANTUM);
        }

        assertThat(queue.users()).isZero();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void nothingIsKeptOfADebtThatIsPaid() {
        add("a", 20);
        add("b", 1);
        assertThat(run(2, Map.of("b", 4 * QUANTUM))).containsExactly("a1", "b1");

        assertThat(queue.users()).isEqualTo(2);
        assertThat(run(5, Map.of())).hasSize(5);

        assertThat(queue.users()).as("b has paid").isEqualTo(1);
    }

    @Test
    void onlyWhatRunsIsKeptWhenTheElementsThatWaitAreRemoved() {
        FairQueue<String> bounded = new FairQueue<>(QUANTUM, 1);
        bounded.add("a", "a1");
        bounded.add("a", "a2");
        bounded.add("b", "b1");
        assertThat(bounded.poll()).isEqualTo("a1");

        assertThat(bounded.removeAll()).containsExactlyInAnyOrder("a2", "b1");

        assertThat(bounded.isEmpty()).isTrue();
        assertThat(bounded.users()).isEqualTo(1);
        bounded.end("a", QUANTUM);
        assertThat(bounded.users()).isZero();
    }

    @Test
    void whatWasNotTakenCannotEnd() {
        queue.add("a", "a1");

        assertThatThrownBy(() -> queue.end("a", 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queue.end("b", 1)).isInstanceOf(IllegalStateException.class);
    }
}
