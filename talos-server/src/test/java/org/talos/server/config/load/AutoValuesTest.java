// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoValuesTest {
    private static Map<String, String> with(AutoValues values, String... changed) {
        Map<String, String> texts = new TreeMap<>(ConfigLoader.defaults());
        for (int i = 0; i < changed.length; i += 2) {
            texts.put(changed[i], changed[i + 1]);
        }
        values.into(texts);
        return texts;
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "2, 8", "16, 64"})
    void threadsOfJettyFollowFromTheProcessors(int processors, String workers) {
        assertThat(with(new AutoValues(processors))).containsEntry("http.workers", workers);
    }

    @Test
    void whatIsSetStays() {
        assertThat(with(new AutoValues(4), "http.workers", "11", "dispatch.put.maxBatch", "2"))
                .containsEntry("http.workers", "11")
                .containsEntry("dispatch.put.maxBatch", "2")
                .containsEntry("dispatch.get.maxBatch", "1");
    }

    @Test
    void workersOfPoolsAreNotDecidedAtTheStart() {
        assertThat(with(new AutoValues(4))).containsEntry("dispatch.put.workers", "auto");
    }
}
