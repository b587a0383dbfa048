// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AwayServersTest {
    private static final Duration DELAY = Duration.ofSeconds(30);

    private final List<String> events = new ArrayList<>();
    private long nanos;
    private final AwayServers away = new AwayServers(DELAY, () -> nanos, events::add);

    @Test
    void partitionsWaitForTheDelayAndNotWhenTheirOwnerIsDrained() {
        away.record(Set.of("a", "b"), "a"::equals);

        assertThat(away.isKept("a", Set.of())).isTrue();
        assertThat(away.isKept("a", Set.of("a"))).isFalse();
        assertThat(away.isKept("b", Set.of("b"))).as("not away").isTrue();
        nanos += DELAY.toNanos() - 1;
        away.record(Set.of("a", "b"), "a"::equals);
        assertThat(away.isKept("a", Set.of())).isTrue();
        nanos++;
        assertThat(away.isKept("a", Set.of())).isFalse();
        assertThat(events).containsExactly("a is away");
    }

    @Test
    void serverThatIsBackAndOneThatOwnsNothingAreForgotten() {
        away.record(Set.of("a", "b"), server -> true);
        away.record(Set.of("a"), "b"::equals);

        assertThat(away.isEmpty()).isTrue();
        assertThat(events).contains("a is back").doesNotContain("b is back");
    }
}
