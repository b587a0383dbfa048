// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.bench.load.RequestSource;

class InTurnTest {
    private final List<String> calls = new ArrayList<>();

    private RequestSource source(String name) {
        return new RequestSource() {
            @Override
            public ByteBuffer next() {
                calls.add("to " + name);
                return ByteBuffer.allocate(0);
            }

            @Override
            public Outcome answered(ByteBuffer body) {
                calls.add("from " + name);
                return Outcome.DONE;
            }
        };
    }

    @Test
    void eachPartitionInTurnReadsTheAnswersToItsOwnRequests() {
        InTurn both = new InTurn(List.of(source("a"), source("b")));

        for (int i = 0; i < 3; i++) {
            assertThat(both.next()).isNotNull();
            assertThat(both.answered(ByteBuffer.allocate(0))).isEqualTo(RequestSource.Outcome.DONE);
        }

        assertThat(calls).containsExactly("to a", "from a", "to b", "from b", "to a", "from a");
        assertThat(both.sent()).isEqualTo(3);
    }

    @Test
    void connectionsShareAllPartitions() {
        for (InTurn each : InTurn.spread(List.of(source("a"), source("b"), source("c")), 2)) {
            assertThat(each.next()).isNotNull();
            assertThat(each.next()).isNotNull();
        }

        assertThat(calls).containsExactly("to a", "to c", "to b", "to b");
    }

    @Test
    void itHasBeenEverywhereOnceTheLastPartitionHasAnswered() {
        InTurn both = new InTurn(List.of(source("a"), source("b")));
        assertThat(both.next()).isNotNull();
        assertThat(both.next()).isNotNull();

        assertThat(both.hasBeenEverywhere()).isFalse();
        assertThat(both.next()).isNotNull();
        assertThat(both.hasBeenEverywhere()).isTrue();
    }
}
