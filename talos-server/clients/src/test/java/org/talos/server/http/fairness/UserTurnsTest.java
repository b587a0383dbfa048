// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Users take turns, and no turn is longer than its bounds. */
class UserTurnsTest {
    private final UserTurns turns = new UserTurns();
    private final List<String> ran = new ArrayList<>();
    private long nanos;

    /** Queues the puts that a connection of a user has. It runs them as far as a turn lasts, then asks again. */
    private void connect(String user, String connection, int puts, long nanosOfPut) {
        turns.add(user, () -> {
            int left = puts;
            do {
                ran.add(connection);
                nanos += nanosOfPut;
                left--;
            } while (left > 0 && turns.tryContinue(nanos));
            if (left > 0) {
                connect(user, connection, left, nanosOfPut);
            }
        });
    }

    /** Runs one turn; returns what ran. */
    private List<String> turn() {
        ran.clear();
        if (turns.begin(nanos)) {
            for (Runnable next = turns.next(nanos); next != null; next = turns.next(nanos)) {
                next.run();
            }
            turns.end();
        }
        return List.copyOf(ran);
    }

    @Test
    void turnHasSoManyPuts() {
        connect("ann", "a", 40, 0);

        assertThat(turn()).hasSize(UserTurns.MOST_PUTS);
        assertThat(turn()).hasSize(8);
        assertThat(turn()).isEmpty();
        assertThat(turns.isEmpty()).isTrue();
    }

    @Test
    void noPutBeginsOnceTheTimeOfTheTurnIsOver() {
        connect("ann", "a", 40, UserTurns.MOST_NANOS / 4 + 1);

        assertThat(turn()).hasSize(4);
        assertThat(turn()).as("a turn has its own time").hasSize(4);
    }

    @Test
    void putThatTakesLongerThanATurnIsAloneInIt() {
        connect("ann", "a", 2, 5 * UserTurns.MOST_NANOS);

        assertThat(turn()).hasSize(1);
        assertThat(turn()).hasSize(1);
    }

    @Test
    void connectionsOfAUserShareTheTurns() {
        for (int i = 0; i < 50; i++) {
            connect("ann", "a" + i, 1_000, 0);
        }
        connect("ben", "b", 1, 0);

        assertThat(turn()).hasSize(UserTurns.MOST_PUTS).containsOnly("a0");
        assertThat(turn()).containsExactly("b");
        assertThat(turn())
                .as("the next connection")
                .hasSize(UserTurns.MOST_PUTS)
                .containsOnly("a1");
    }

    @Test
    void connectionsWithAPutEachAreServedInTheirOrderWithinATurn() {
        for (int i = 0; i < 33; i++) {
            connect("ann", "a" + i, 1, 0);
        }

        assertThat(turn()).hasSize(32).startsWith("a0", "a1").endsWith("a31");
        assertThat(turn()).containsExactly("a32");
    }

    @Test
    void usersTakeTurnsInTheOrderInWhichTheyCame() {
        connect("ann", "a", 100, 0);
        connect("ben", "b", 100, 0);
        connect("cid", "c", 100, 0);

        assertThat(turn()).containsOnly("a");
        assertThat(turn()).containsOnly("b");
        connect("dan", "d", 1, 0);
        assertThat(turn()).containsOnly("c");
        assertThat(turn()).containsOnly("a");
        assertThat(turn()).containsOnly("b");
        assertThat(turn()).containsOnly("d");
    }

    @Test
    void userWhoIsAloneHasEveryTurn() {
        connect("ann", "a", 3 * UserTurns.MOST_PUTS, 0);

        assertThat(turn()).hasSize(UserTurns.MOST_PUTS);
        assertThat(turn()).hasSize(UserTurns.MOST_PUTS);
        assertThat(turn()).hasSize(UserTurns.MOST_PUTS);
    }

    @Test
    void putsThatAreMadeTogetherCountEach() {
        turns.add("ann", () -> turns.count(UserTurns.MOST_PUTS));
        turns.add("ann", () -> ran.add("second"));

        assertThat(turn()).isEmpty();
        assertThat(turn()).containsExactly("second");
    }

    @Test
    void turnBelongsToOneUserUntilItEnds() {
        turns.add("ann", () -> {});
        turns.begin(0);
        assertThat(turns.isOf("ann")).isTrue();
        assertThat(turns.isOf("ben")).isFalse();

        turns.end();

        assertThat(turns.isOf("ann")).isFalse();
    }

    @Test
    void allIsTakenWithoutTurnsAtTheEnd() {
        turns.add("ann", () -> ran.add("a1"));
        turns.add("ben", () -> ran.add("b"));
        turns.add("ann", () -> ran.add("a2"));

        for (Runnable each = turns.takeAny(); each != null; each = turns.takeAny()) {
            each.run();
        }

        assertThat(ran).containsExactly("a1", "a2", "b");
        assertThat(turns.isEmpty()).isTrue();
    }

    @Test
    void allOfOtherUsersIsTakenWhileTheLastTaskOfATurnRuns() {
        turns.add("ann", () -> ran.add("a"));
        turns.add("ben", () -> ran.add("b"));
        turns.begin(0);
        assertThat(turns.next(0)).isNotNull();

        assertThat(turns.takeAny()).isNotNull();
        assertThat(turns.takeAny()).isNull();
    }
}
