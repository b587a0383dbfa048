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
    private final Deque<Runnable> threads = new ArrayDeque<>();

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
        for (int i = 0; i < Searches.MOST_OF_USER; i++) {
            searches.enter("ann");
        }

        assertThatThrownBy(() -> searches.enter("ann"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(429));
        searches.enter("bob");
        searches.leave("ann");
        searches.enter("ann");
        assertThat(searches.count()).isEqualTo(Searches.MOST_OF_USER + 1);
    }

    @Test
    void allTogetherAreBounded() {
        Searches searches = new Searches(1);
        for (int i = 0; i < Searches.MOST; i++) {
            searches.enter("user" + i);
        }

        assertThatThrownBy(() -> searches.requireRoom("one more"))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(503));
    }
}
