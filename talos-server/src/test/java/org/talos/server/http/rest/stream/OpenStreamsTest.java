// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The signs of open streams, under a clock and an alarm that the test has. */
class OpenStreamsTest {
    private long now;
    private final Queue<Runnable> alarm = new ArrayDeque<>();
    private final List<String> signs = new ArrayList<>();
    private final OpenStreams streams =
            new OpenStreams(10, Duration.ofSeconds(40), (delay, task) -> alarm.add(task), () -> now);

    private OpenStreams.Stream stream(String name) {
        return new OpenStreams.Stream() {
            @Override
            public void stop(int withinMillis) {
                signs.add(name + " stops");
            }

            @Override
            public void beat() {
                signs.add(name);
                if (name.equals("broken")) {
                    throw new IllegalStateException("on purpose");
                }
            }
        };
    }

    private void pass(Duration time) {
        now += time.toNanos();
        alarm.remove().run();
    }

    @Test
    void noAlarmIsSetWhileNoStreamIsOpen() {
        OpenStreams.Stream only = stream("only");
        assertThat(alarm).isEmpty();

        streams.add(only);
        assertThat(alarm).hasSize(1);
        streams.remove(only);
        pass(Duration.ofSeconds(1));

        assertThat(alarm).isEmpty();
        assertThat(signs).isEmpty();
    }

    @Test
    void eachShowsASignOnceAnInterval() {
        streams.add(stream("a"));
        pass(Duration.ofSeconds(20));
        streams.add(stream("b"));

        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a");
        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a", "b");
        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a", "b", "a");
        assertThat(alarm).hasSize(1);
    }

    @Test
    void oneThatFailsKeepsNoOtherFromItsSign() {
        streams.add(stream("broken"));
        streams.add(stream("whole"));

        pass(Duration.ofSeconds(40));

        assertThat(signs).containsExactly("broken", "whole");
        assertThat(alarm).hasSize(1);
    }
}
