// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the lines that the processes exchange. */
class LinesTest {
    private static SynchronousSettings settings(int partitions, int putters, int getters, int size) {
        return new SynchronousSettings(
                "127.0.0.1:9092", 7, "/data", partitions, putters, getters, size, 12.5, Duration.ofSeconds(10));
    }

    @Test
    void settingsAreReadFromTheArgumentsThatTheyAreWrittenAs() {
        SynchronousSettings settings = settings(120, 120, 120, 10_240);

        assertThat(settings.arguments()).hasSize(SynchronousSettings.ARGUMENTS);
        assertThat(SynchronousSettings.of(settings.arguments())).isEqualTo(settings);
    }

    @Test
    void threadsWithoutAPartitionOfTheirOwnAndMessagesWithoutRoomForTheirNumberAreRefused() {
        assertThatThrownBy(() -> settings(3, 4, 0, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings(3, 2, 3, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings(3, 3, 3, 15)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void countsAreReadFromTheLineThatTheyAreWrittenAs() {
        for (LoadCounts each : List.of(
                new LoadCounts(5, 4, 3, 0, Optional.empty()),
                new LoadCounts(5, 4, 3, 2, Optional.of("put: java.io.IOException: no room")))) {
            assertThat(LoadCounts.of(each.line())).contains(each);
        }
        assertThat(LoadCounts.of("a line of a library")).isEmpty();
    }

    @Test
    void failureOfSeveralLinesIsOne() {
        LoadCounts counts = new LoadCounts(0, 0, 0, 1, Optional.of("first\n\tsecond"));

        assertThat(counts.line()).doesNotContain("\n");
        assertThat(LoadCounts.of(counts.line()).orElseThrow().firstFailure()).contains("first second");
    }

    @Test
    void memoryIsReadFromTheLineThatItIsWrittenAs() {
        LoadMemory memory = new LoadMemory(1, 2, -1);

        assertThat(LoadMemory.of(memory.line())).contains(memory);
        assertThat(LoadMemory.of("a line of a library")).isEmpty();
    }

    @Test
    void memoryOfThisProcessIsKnownOnLinuxAndThatOfNoneIsNot() {
        LoadMemory memory = LoadMemory.sample(Long.MAX_VALUE);

        assertThat(memory.serverKib()).isEqualTo(-1);
        assertThat(memory.clientKib()).isNotZero();
    }

    @Test
    void threadsAreReadFromTheLineThatTheyAreWrittenAs() {
        LoadThreads threads =
                new LoadThreads(LoadThreads.CLIENT, new TreeMap<>(Map.of("C# CompilerThre", 1.25, "main", 0.5)));

        assertThat(LoadThreads.of(threads.line())).contains(threads);
        assertThat(LoadThreads.of("a line of a library")).isEmpty();
    }

    @Test
    void whatThreadsUseIsAddedUpByNameWithoutDigits() {
        Map<String, LoadThreads.Used> before =
                Map.of("1", new LoadThreads.Used("reader-#", 100), "2", new LoadThreads.Used("reader-#", 0));
        Map<String, LoadThreads.Used> after = Map.of(
                "1",
                new LoadThreads.Used("reader-#", 150),
                "2",
                new LoadThreads.Used("reader-#", 25),
                "3",
                new LoadThreads.Used("new", 5),
                "4",
                new LoadThreads.Used("idle", 0));

        assertThat(LoadThreads.between(LoadThreads.SERVER, before, after).seconds())
                .isEqualTo(new TreeMap<>(Map.of("reader-#", 0.75, "new", 0.05)));
    }
}
