// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DiskSpaceTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final Path LOGS = Path.of("/data/logs");
    private static final Path ROWS = Path.of("/data/metadata");

    private final Map<Path, Long> free = new HashMap<>(Map.of(LOGS, 10_000 * MEBIBYTE, ROWS, 10_000 * MEBIBYTE));
    private long total = 100_000 * MEBIBYTE;
    private long nanos;
    private final DiskSpace space = new DiskSpace(List.of(LOGS, ROWS), 1_000 * MEBIBYTE, new Probe(), () -> nanos);

    private final class Probe implements DiskSpace.Probe {
        @Override
        public long freeBytes(Path directory) {
            return Objects.requireNonNull(free.get(directory));
        }

        @Override
        public long totalBytes(Path directory) {
            return total;
        }
    }

    private void free(Path directory, long mebibytes) {
        free.put(directory, mebibytes * MEBIBYTE);
        space.look();
    }

    @Test
    void diskIsShortOfRoomBelowTheReserveUntilAnEighthMoreIsFree() {
        free(LOGS, 1_000);
        assertThat(space.shortage()).isNull();

        free(LOGS, 999);
        assertThat(space.shortage()).isNotNull();
        free(LOGS, 1_100);
        assertThat(space.shortage()).as("puts are not to come and go").isNotNull();
        free(LOGS, 1_125);

        assertThat(space.shortage()).isNull();
        assertThat(space.warning()).isEmpty();
    }

    @Test
    void diskWithTheLeastRoomCounts() {
        free(ROWS, 12);

        assertThat(Objects.requireNonNull(space.shortage()).directory()).isEqualTo(ROWS);
        assertThat(space.freeBytes()).isEqualTo(12 * MEBIBYTE);
    }

    @Test
    void noMoreThanATwentiethOfASmallDiskIsKeptInReserve() {
        total = 2_000 * MEBIBYTE;

        free(LOGS, 100);
        assertThat(space.shortage()).isNull();
        free(LOGS, 99);

        assertThat(Objects.requireNonNull(space.shortage()).reserveBytes()).isEqualTo(100 * MEBIBYTE);
    }

    @Test
    void operatorIsToldThePathAndAClientIsNot() {
        free(LOGS, 900);

        assertThat(Objects.requireNonNull(space.shortage()).sentence())
                .isEqualTo(
                        "the disk of the server's dataDirectory is full: 900 MiB are free, and 1000 MiB are kept in"
                                + " reserve (storage.reserveBytes); puts resume by themselves once 225 MiB more are free there");
        assertThat(space.warning().orElseThrow()).startsWith("the disk of /data/logs is full: 900 MiB are free");
    }

    @Test
    void writeThatFoundTheDiskFullCountsForAWhileWhateverTheSystemSays() {
        space.met();

        assertThat(Objects.requireNonNull(space.shortage()).sentence()).contains("as with a quota");
        nanos = TimeUnit.SECONDS.toNanos(5);
        space.look();
        assertThat(space.shortage()).isNull();
    }

    @Test
    void diskWhoseSizeIsNotKnownIsPassedOver() {
        total = 0;

        free(LOGS, 0);

        assertThat(space.shortage()).isNull();
    }
}
