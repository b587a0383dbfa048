// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.http.SelectorTurn.Tasks;

/** Checks that tasks for the end of a selector's turn run once, even if they come in the middle of that end. */
class SelectorTasksTest {
    private static final Runnable ONE = new Task("one");
    private static final Runnable OTHER = new Task("other");

    private final Tasks tasks = new Tasks();

    private record Task(String name) implements Runnable {
        @Override
        public void run() {
            throw new AssertionError("nothing is run here");
        }
    }

    @Test
    void nothingIsAddedToWhatWasTakenWhenThereWasNothing() {
        List<Runnable> taken = tasks.take();

        tasks.add(ONE);

        assertThat(taken).isEmpty(); // else it would run here, and again at the next end
        assertThat(tasks.take()).containsExactly(ONE);
        assertThat(tasks.take()).isEmpty();
    }

    @Test
    void nothingIsAddedToWhatWasTaken() {
        tasks.add(ONE);
        List<Runnable> taken = tasks.take();

        taken.forEach(task -> tasks.add(OTHER)); // as a task does that brings another

        assertThat(taken).containsExactly(ONE);
        assertThat(tasks.take()).containsExactly(OTHER);
    }

    @Test
    void endIsSubmittedOnceUntilItHasFoundNothingLeft() {
        assertThat(tasks.add(ONE)).isEqualTo(Tasks.Duty.SUBMIT);
        assertThat(tasks.addLast(OTHER)).isEqualTo(Tasks.Duty.NOTHING);
        assertThat(tasks.take()).containsExactly(ONE);
        assertThat(tasks.continues()).isTrue();
        assertThat(tasks.add(ONE)).isEqualTo(Tasks.Duty.NOTHING);
        assertThat(tasks.take()).containsExactly(ONE);
        assertThat(tasks.takeLast(2)).containsExactly(OTHER);
        assertThat(tasks.continues()).isFalse();

        assertThat(tasks.addLast(OTHER)).isEqualTo(Tasks.Duty.SUBMIT);
    }

    @Test
    void endComesAgainAsLongAsATaskOfAUserWaits() {
        assertThat(tasks.addOfUser("ann", ONE)).isEqualTo(Tasks.Duty.SUBMIT);
        assertThat(tasks.addOfUser("ben", OTHER)).isEqualTo(Tasks.Duty.NOTHING);

        assertThat(tasks.beginTurn(0)).isTrue();
        assertThat(tasks.nextOfTurn(0)).isSameAs(ONE);
        assertThat(tasks.nextOfTurn(0)).isNull();
        tasks.endTurn();
        assertThat(tasks.continues()).isTrue();
        assertThat(tasks.takeOfAnyUser()).isSameAs(OTHER);
        assertThat(tasks.continues()).isFalse();
    }

    @Test
    void taskThatComesOnceItHasStoppedIsNotKept() {
        tasks.add(ONE);
        tasks.stop();

        assertThat(tasks.add(OTHER)).isEqualTo(Tasks.Duty.RUN);
        assertThat(tasks.addLast(OTHER)).isEqualTo(Tasks.Duty.RUN);
        assertThat(tasks.addOfUser("ann", OTHER)).isEqualTo(Tasks.Duty.RUN);
        assertThat(tasks.take()).containsExactly(ONE);
        assertThat(tasks.takeLast(1)).isEmpty();
    }
}
