// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.storage.LogId;

class SwitchedDelaysTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final LogId HELD_UP = new LogId(TOPIC, 0);
    private static final LogId OTHER = new LogId(TOPIC, 1);

    @TempDir
    private Path folder;

    private final AtomicLong now = new AtomicLong();
    private SwitchedDelays delays;

    @BeforeEach
    void make() throws IOException {
        Delays hflush = Delays.of(List.of("quantile,micros", "0,100", "1,200"), "test");
        delays = new SwitchedDelays(folder.resolve("store.txt"), hflush, now::get);
    }

    private void become(StoreKind kind) throws IOException {
        Files.writeString(folder.resolve("store.txt"), kind.label());
        now.addAndGet(100_000_000);
    }

    @Test
    void storeIsTheLocalOneUntilAFileSaysSomethingElse() {
        assertThat(delays.draw(HELD_UP)).isZero();
    }

    @Test
    void appendsTakeAsLongAsThoseOfTheKindThatTheFileNamesNow() throws Exception {
        become(StoreKind.HDFS);
        assertThat(delays.draw(OTHER)).isBetween(100_000L, 200_000L);

        become(StoreKind.HELD_UP);
        assertThat(delays.draw(HELD_UP)).isEqualTo(SwitchedDelays.HELD_UP_NANOS);
        assertThat(delays.draw(OTHER)).isZero();

        become(StoreKind.LOCAL);
        assertThat(delays.draw(HELD_UP)).isZero();
    }

    @Test
    void fileIsReadTenTimesASecondAtMost() throws Exception {
        become(StoreKind.HDFS);
        var unused = delays.draw(OTHER);
        Files.writeString(folder.resolve("store.txt"), StoreKind.LOCAL.label());

        assertThat(delays.draw(OTHER)).isNotZero();
    }
}
