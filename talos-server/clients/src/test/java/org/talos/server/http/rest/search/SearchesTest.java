// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.ProblemException;

class SearchesTest {
    private static final long NOW = 1_000;
    private static final long UNTIL = 2_000;

    private final Deque<Runnable> threads = new ArrayDeque<>();

    private static Searches.Place enter(Searches searches, String user) {
        return enter(searches, user, NOW, UNTIL);
    }

    private static Searches.Place enter(Searches searches, String user, long nowNanos, long untilNanos) {
        Searches.Place place = new Searches.Place(user);
        searches.enter(place, nowNanos, untilNanos);
        return place;
    }

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    @Test
    void noMoreSlicesRunThanMayAndTheOthersHaveTheirTurnInOrder() {
        Searches searches = new Searches(2);
        CompletionStage<String> first = searches.run(threads::add, () -> "first");
        CompletionStage<String> second = searches.run(threads::add, () -> "second");
        CompletionStage<String> third = searches.run(threads::add, () -> "third");
        CompletionStage<String> fourth = searches.run(threads::add, () -> "fourth");
        assertThat(threads).hasSize(2);

        threads.removeLast().run();
        threads.removeLast().run();

        assertThat(isDone(first)).isFalse();
        assertThat(second.toCompletableFuture()).isCompletedWithValue("second");
        assertThat(third.toCompletableFuture()).isCompletedWithValue("third");
        threads.removeLast().run();
        threads.removeLast().run();
        assertThat(isDone(first)).isTrue();
        assertThat(isDone(fourth)).isTrue();
        assertThat(threads).isEmpty();
    }

    @Test
    void sliceThatFailsLeavesItsTurnToTheNext() {
        Searches searches = new Searches(1);
        CompletionStage<String> failed = searches.run(threads::add, () -> {
            throw new IllegalStateException("broken");
        });
        CompletionStage<String> next = searches.run(threads::add, () -> "next");

        threads.removeFirst().run();
        threads.removeFirst().run();

        assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
        assertThat(next.toCompletableFuture()).isCompletedWithValue("next");
    }

    @Test
    void userHasFewAndLeavesRoomForOthers() {
        Searches searches = new Searches(1);
        for (int i = 1; i < Searches.MOST_OF_USER; i++) {
            enter(searches, "ann");
        }
        Searches.Place last = enter(searches, "ann");

        assertThatThrownBy(() -> enter(searches, "ann"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(429));
        enter(searches, "bob");
        searches.leave(last);
        searches.leave(last);
        enter(searches, "ann");
        assertThat(searches.count()).isEqualTo(Searches.MOST_OF_USER + 1);
    }

    /** The client leaves on one thread while another one begins the search. */
    @Test
    void searchThatIsClosedBeforeItEntersTakesNoPlace() {
        Searches searches = new Searches(1);
        Searches.Place place = new Searches.Place("ann");
        searches.leave(place);

        searches.enter(place, NOW, UNTIL);

        assertThat(searches.has(place)).isFalse();
        assertThat(searches.count()).isZero();
    }

    @Test
    void allTogetherAreBounded() {
        Searches searches = new Searches(1);
        for (int i = 0; i < Searches.MOST; i++) {
            enter(searches, "user" + i);
        }

        assertThatThrownBy(() -> searches.requireRoom("one more", NOW))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(503));
    }

    @Test
    void placeOfASearchWhoseTimeIsOverGoesToTheNext() {
        Searches searches = new Searches(1);
        for (int i = 1; i < Searches.MOST_OF_USER; i++) {
            enter(searches, "ann");
        }
        Searches.Place last = enter(searches, "ann");
        assertThatThrownBy(() -> searches.requireRoom("ann", UNTIL - 1)).isInstanceOf(ProblemException.class);
        assertThat(searches.has(last)).isTrue();

        Searches.Place next = enter(searches, "ann", UNTIL, UNTIL + 1);

        assertThat(searches.has(last)).isFalse();
        searches.leave(last);
        assertThat(searches.has(next)).isTrue();
        assertThat(searches.count()).isEqualTo(1);
    }
}
