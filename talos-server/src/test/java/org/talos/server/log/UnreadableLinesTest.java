// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.put;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.storage.StorageException;

/** Log lines of messages that cannot be read. */
@Isolated // listens to a logger of all
class UnreadableLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(PartitionLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final LogFixture fixture = new LogFixture();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        fixture.tailCacheBytes = 0;
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
    }

    private ILoggingEvent lineOf(IOException failure) throws StorageException {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.store.failReads(StorageException.unavailable("segment cannot be read", Effect.NONE, failure));

        assertThatThrownBy(() -> log.read(0, ALL)).isInstanceOf(TalosException.class);

        assertThat(lines.list).hasSize(1);
        return lines.list.get(0);
    }

    /** A server that was cut off may still read a topic that another has deleted meanwhile. */
    @Test
    void fileThatIsNotThereIsALineWithoutATrace() throws Exception {
        ILoggingEvent line = lineOf(new FileNotFoundException("File does not exist: 0-1.log"));

        assertThat(line.getThrowableProxy()).isNull();
        assertThat(line.getFormattedMessage())
                .contains("file missing log=" + LogFixture.ID + " offset=0", "File does not exist: 0-1.log");
    }

    @Test
    void anyOtherFailureHasItsTrace() throws Exception {
        ILoggingEvent line = lineOf(new IOException("I/O error"));

        assertThat(line.getThrowableProxy()).isNotNull();
        assertThat(line.getFormattedMessage()).contains("messages unreadable log=" + LogFixture.ID + " offset=0");
    }
}
