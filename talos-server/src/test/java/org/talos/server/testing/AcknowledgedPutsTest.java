// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The check itself, shown each thing that it is there to find. */
class AcknowledgedPutsTest {
    private final AcknowledgedPuts puts = new AcknowledgedPuts();

    @Test
    void findsNothingWhereAllIsThereInOrder() {
        puts.acknowledged("a");
        puts.acknowledged("b");

        assertThat(puts.compare(List.of("a", "unanswered", "b"))).isEmpty();
    }

    @Test
    void findsALostValue() {
        puts.acknowledged("a");

        assertThat(puts.compare(List.of())).containsExactly("lost: a");
    }

    @Test
    void findsAValueThatIsThereTwice() {
        assertThat(puts.compare(List.of("a", "a"))).containsExactly("twice: a at 0 and 1");
    }

    @Test
    void findsValuesOutOfOrder() {
        puts.acknowledged("a");
        puts.acknowledged("b");

        assertThat(puts.compare(List.of("b", "a")))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("out of order: b");
    }

    @Test
    void findsAValueThatHasMovedSinceItWasSeen() {
        puts.compare(List.of("a", "b"));

        assertThat(puts.compare(List.of("b", "a"))).contains("moved: a was at 0");
    }
}
