// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.block;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.log.DedupeWindow.Identity;
import org.talos.server.log.DedupeWindow.Remembered;
import org.talos.server.testing.KeptMemory;

class DedupeWindowTest {
    private static final int PUTS = 100;

    private final DedupeWindow window = new DedupeWindow(PUTS, Duration.ofMinutes(10));

    private static Put put(String sequenceId, int blocks, int messagesOfLast) {
        List<Block> all = new ArrayList<>();
        for (int i = 1; i < blocks; i++) {
            all.add(block(1, "x"));
        }
        all.add(block(messagesOfLast, "last one"));
        return new Put(sequenceId, Put.Origin.UNIQUE, all);
    }

    private static Identity identity(Put put) {
        return DedupeWindow.identity(put, new int[put.blocks().size()]);
    }

    private void remember(Put put) {
        window.remember(identity(put), new Remembered(put.sequenceId(), 0, 0, new PutTicket()));
    }

    private boolean isFound(Put put) {
        return window.find(identity(put), put.origin(), 0).isPresent();
    }

    @Test
    void putTakesLittleMemoryHoweverManyBlocksItHasAndHoweverLongItsId() {
        for (int i = 0; i < PUTS; i++) {
            remember(put("s".repeat(1_000) + i, 1_000, 1));
        }

        assertThat(window.size()).isEqualTo(PUTS);
        assertThat(KeptMemory.of(window)).isLessThan(PUTS * 1_000L);
    }

    @Test
    void putOfSeveralBlocksIsFoundByAllOfThem() {
        remember(put("p#1", 3, 1));

        assertThat(isFound(put("p#1", 3, 1))).isTrue();
        assertThat(isFound(put("p#1", 3, 2))).isFalse();
        assertThat(isFound(put("p#1", 2, 1))).isFalse();
        assertThat(isFound(put("p#2", 3, 1))).isFalse();
    }

    @Test
    void longIdsAreToldApart() {
        String id = "s".repeat(1_000);
        remember(put(id + 1, 1, 1));

        assertThat(isFound(put(id + 1, 1, 1))).isTrue();
        assertThat(isFound(put(id + 2, 1, 1))).isFalse();
        assertThat(new Remembered(id + 1, 0, 0, new PutTicket()).hasId(id + 1)).isTrue();
        assertThat(new Remembered(id + 1, 0, 0, new PutTicket()).hasId(id + 2)).isFalse();
    }
}
