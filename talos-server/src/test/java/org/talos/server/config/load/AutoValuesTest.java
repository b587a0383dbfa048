// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoValuesTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final long GIBIBYTE = 1 << 30;

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
        assertThat(with(new AutoValues(processors, GIBIBYTE))).containsEntry("http.workers", workers);
    }

    @Test
    void whatIsSetStays() {
        assertThat(with(new AutoValues(4, GIBIBYTE), "http.workers", "11", "dispatch.put.maxBatch", "2"))
                .containsEntry("http.workers", "11")
                .containsEntry("dispatch.put.maxBatch", "2")
                .containsEntry("dispatch.get.maxBatch", "1");
    }

    @Test
    void workersOfPoolsAreNotDecidedAtTheStart() {
        assertThat(with(new AutoValues(4, GIBIBYTE))).containsEntry("dispatch.put.workers", "auto");
    }

    @ParameterizedTest
    @CsvSource({"2048, 256, 128, 128, 128, 256", "512, 64, 32, 32, 32, 64", "65536, 4096, 4096, 1024, 512, 2048"})
    void memoryIsAShareOfTheHeapThatDoesNotGrowForEver(
            long heap, long requests, long tail, long dedupe, long unwritten, long transfer) {
        assertThat(with(new AutoValues(2, heap * MEBIBYTE)))
                .containsEntry("http.maxRequestMemoryBytes", Long.toString(requests * MEBIBYTE))
                .containsEntry("log.tailCacheBytes", Long.toString(tail * MEBIBYTE))
                .containsEntry("log.dedupeBytes", Long.toString(dedupe * MEBIBYTE))
                .containsEntry("log.maxUnwrittenBytes", Long.toString(unwritten * MEBIBYTE))
                .containsEntry("transfer.maxMemoryBytes", Long.toString(transfer * MEBIBYTE));
    }

    @Test
    void theLargestRequestStaysPossible() {
        Map<String, String> texts = with(
                new AutoValues(2, 64 * MEBIBYTE),
                "http.maxBodyBytes",
                "100MiB",
                "service.maxGetBytes",
                "many",
                "transfer.maxFrameBytes",
                "110MiB");

        assertThat(texts)
                .containsEntry("http.maxRequestMemoryBytes", Long.toString(100 * MEBIBYTE))
                .containsEntry("transfer.maxMemoryBytes", Long.toString(110 * MEBIBYTE))
                .containsEntry("log.tailCacheBytes", Long.toString(4 * MEBIBYTE));
    }
}
