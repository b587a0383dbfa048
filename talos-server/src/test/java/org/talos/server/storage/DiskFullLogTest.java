// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException.Reason;

class DiskFullLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("test.disk-full");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final DiskFullLog log = new DiskFullLog(logger, "rows cannot be written");

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
    }

    @Test
    void fullDiskIsSaidOnceWithoutAStackAndOnceWhenItIsOver() {
        for (int i = 0; i < 100; i++) {
            assertThat(log.failed("row=" + i, new IOException("No space left on device")))
                    .isTrue();
        }
        log.succeeded();
        log.succeeded();

        assertThat(lines.list)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line.getThrowableProxy()).isNull());
        assertThat(lines.list.get(0).getFormattedMessage())
                .startsWith("rows cannot be written: the disk is full. Free space")
                .contains("row=0");
        assertThat(lines.list.get(1).getFormattedMessage()).contains("failures=100");
    }

    @Test
    void otherFailuresAreTheCallersToSay() {
        assertThat(log.failed("row=1", new IOException("Input/output error"))).isFalse();

        assertThat(lines.list).isEmpty();
    }

    @Test
    void fullDiskIsKnownByItsWordsWhereverTheyStand() {
        IOException full = new IOException("/data/x: No space left on device");
        StorageException failure = StorageException.unavailable("cannot be written", Effect.UNKNOWN, full);

        assertThat(failure.reason()).isEqualTo(Reason.FULL);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(StorageException.isDiskFull(new IllegalStateException("x", failure)))
                .isTrue();
        assertThat(StorageException.isDiskFull(new IOException("Disk quota exceeded")))
                .isTrue();
        assertThat(StorageException.isDiskFull(new IOException("Input/output error")))
                .isFalse();
    }
}
