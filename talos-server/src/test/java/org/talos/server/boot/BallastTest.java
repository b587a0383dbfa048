// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.runtime.DiskSpace;

class BallastTest {
    private static final long BYTES = 1_000_000;

    @TempDir
    private Path data;

    private long free = 10 * BYTES;
    private Ballast ballast;

    private final class Probe implements DiskSpace.Probe {
        @Override
        public long freeBytes(Path directory) {
            return free;
        }

        @Override
        public long totalBytes(Path directory) {
            return 20 * BYTES;
        }
    }

    @BeforeEach
    void start() {
        ballast = new Ballast(data, new Probe());
        ballast.releaseForStart();
        ballast.check(false);
    }

    private long held() throws Exception {
        Path file = data.resolve(Ballast.FILE);
        return Files.exists(file) ? Files.size(file) : 0;
    }

    @Test
    void roomIsHeldWhereThereIsPlenty() throws Exception {
        assertThat(held()).isEqualTo(BYTES);
    }

    @Test
    void startOnAFullDiskGetsAllOfIt() throws Exception {
        free = BYTES / 2;

        new Ballast(data, new Probe()).releaseForStart();

        assertThat(held()).isZero();
    }

    @Test
    void startWithRoomLeavesIt() throws Exception {
        new Ballast(data, new Probe()).releaseForStart();

        assertThat(held()).isEqualTo(BYTES);
    }

    @Test
    void serverThatRunsGivesHalfOfItUpAndKeepsTheRestForItsNextStart() throws Exception {
        free = 0;

        ballast.check(true);
        assertThat(held()).isEqualTo(BYTES / 2);
        ballast.check(true);
        assertThat(held()).as("once").isEqualTo(BYTES / 2);

        free = 10 * BYTES;
        ballast.check(false);
        assertThat(held()).as("once there is room again").isEqualTo(BYTES);
    }

    @Test
    void nothingIsTakenFromADiskThatIsShortOfRoom() throws Exception {
        Files.delete(data.resolve(Ballast.FILE));
        Ballast next = new Ballast(data, new Probe());
        next.releaseForStart();

        next.check(true);
        free = BYTES;
        next.check(false);

        assertThat(held()).isZero();
    }
}
