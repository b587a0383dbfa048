// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.http.rest.json.ProblemException;

/** The signs of open streams, under a clock and an alarm that the test has. */
class OpenStreamsTest {
    private static final Duration ALMOST_50_SECONDS = Duration.ofMillis(49_500);

    private long now;
    private final Queue<Runnable> alarm = new ArrayDeque<>();
    private final List<String> signs = new ArrayList<>();
    private final OpenStreams streams = new OpenStreams(
            new OpenStreams.Bounds(4, 2), Duration.ofSeconds(40), (delay, task) -> alarm.add(task), () -> now);

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

        streams.add(only, "alice");
        assertThat(alarm).hasSize(1);
        streams.remove(only);
        pass(Duration.ofSeconds(1));

        assertThat(alarm).isEmpty();
        assertThat(signs).isEmpty();
    }

    @Test
    void eachShowsASignOnceAnInterval() {
        streams.add(stream("a"), "alice");
        pass(Duration.ofSeconds(20));
        streams.add(stream("b"), "alice");

        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a");
        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a", "b");
        pass(Duration.ofSeconds(20));
        assertThat(signs).containsExactly("a", "b", "a");
        assertThat(alarm).hasSize(1);
    }

    /** Debian's HAProxy ends what is silent for 50 s, most others after 60 s. */
    @Test
    void proxiesBetweenSeeASignBeforeTheyGiveUp() throws Exception {
        Duration idleTimeout = ConfigLoader.load(Map.of()).http().idleTimeout();
        List<Long> at = new ArrayList<>();
        Queue<Runnable> alarms = new ArrayDeque<>();
        OpenStreams usual = new OpenStreams(
                new OpenStreams.Bounds(4, 2),
                OpenStreams.interval(idleTimeout),
                (delay, task) -> alarms.add(() -> {
                    now += delay.toNanos();
                    task.run();
                }),
                () -> now);
        usual.add(
                new OpenStreams.Stream() {
                    @Override
                    public void stop(int withinMillis) {}

                    @Override
                    public void beat() {
                        at.add(now);
                    }
                },
                "alice");

        while (now < Duration.ofHours(1).toNanos()) {
            alarms.remove().run();
        }

        assertThat(at).hasSizeBetween(73, 75);
        for (int i = 1; i < at.size(); i++) {
            assertThat(Duration.ofNanos(at.get(i) - at.get(i - 1)))
                    .isBetween(Duration.ofSeconds(48), ALMOST_50_SECONDS);
        }
    }

    @Test
    void manyShowTheirSignsInTheOrderOfTheirComingAlsoWhenSomeLeave() {
        OpenStreams many = new OpenStreams(
                new OpenStreams.Bounds(100, 100), Duration.ofSeconds(40), (delay, task) -> alarm.add(task), () -> now);
        List<OpenStreams.Stream> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            OpenStreams.Stream each = stream("" + i);
            all.add(each);
            many.add(each, "alice");
            now += Duration.ofSeconds(1).toNanos();
        }
        many.remove(all.get(1));

        pass(Duration.ofSeconds(37));
        assertThat(signs).containsExactly("0", "2");
        pass(Duration.ofSeconds(2));
        assertThat(signs).containsExactly("0", "2", "3", "4");
        pass(Duration.ofSeconds(38));
        assertThat(signs).containsExactly("0", "2", "3", "4", "0", "2");
        pass(Duration.ofSeconds(2));
        assertThat(signs).containsExactly("0", "2", "3", "4", "0", "2", "3", "4");
    }

    @Test
    void oneThatFailsKeepsNoOtherFromItsSign() {
        streams.add(stream("broken"), "alice");
        streams.add(stream("whole"), "alice");

        pass(Duration.ofSeconds(40));

        assertThat(signs).containsExactly("broken", "whole");
        assertThat(alarm).hasSize(1);
    }

    @Test
    void userWithManyStreamsLeavesRoomForOthers() {
        OpenStreams.Stream first = stream("first");
        streams.add(first, "alice");
        streams.add(stream("second"), "alice");

        assertRefused(stream("third"), "alice", 429);
        streams.add(stream("other"), "bob");
        streams.remove(first);
        streams.remove(first); // some are, twice
        streams.add(stream("third"), "alice");
        assertRefused(stream("fourth"), "alice", 429);
        streams.add(stream("other's"), "bob");

        assertRefused(stream("last"), "carol", 503);
        assertThat(streams.count()).isEqualTo(4);
    }

    @Test
    void streamsThatHaveShownASignStayTheirUsers() {
        OpenStreams.Stream first = stream("first");
        streams.add(first, "alice");
        streams.add(stream("second"), "alice");
        pass(Duration.ofSeconds(40));

        assertRefused(stream("third"), "alice", 429);
        streams.remove(first);
        streams.add(stream("third"), "alice");

        assertThat(streams.count()).isEqualTo(2);
    }

    private void assertRefused(OpenStreams.Stream stream, String user, int status) {
        ProblemException refusal = catchThrowableOfType(ProblemException.class, () -> streams.add(stream, user));
        assertThat(refusal.problem().status()).isEqualTo(status);
        assertThat(refusal.problem().code()).isEqualTo("too-many-streams");
    }
}
