// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyHashTest {
    private final KeyHash hash = new KeyHash();

    @Test
    void aKeyHasTheSameWorkerAlways() {
        for (int i = 0; i < 20; i++) {
            String key = "key-" + i;
            assertThat(new KeyHash().select(key, 3))
                    .isEqualTo(hash.select(key, 3))
                    .isBetween(0, 2);
        }
    }

    @Test
    void noOtherWorkerRunsIt() {
        assertThat(hash.mayRunElsewhere()).isFalse();
        assertThat(new HashSet<>(hash.readyQueues(3, Object::new))).hasSize(3);
    }

    /** Partitions of a topic have consecutive hash codes, as letters have: they are to meet as often as any keys. */
    @Test
    void consecutiveHashCodesDoNotSpreadEvenly() {
        Set<Integer> workers = new HashSet<>();
        for (char letter = 'A'; letter < 'A' + 100; letter++) {
            workers.add(hash.select(String.valueOf(letter), 100));
        }

        assertThat(workers).hasSizeBetween(50, 76);
    }
}
