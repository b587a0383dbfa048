// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.partition.Partition.State;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.SmallLogs;

/** Log lines of partitions that cannot be opened. */
@Isolated // listens to a logger of all
@Timeout(60)
class OpeningLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(PartitionOpener.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final ScheduledExecutorService recovery = Executors.newScheduledThreadPool(1);
    private final Partition partition = new Partition(new LogId("0123456789abcdef0123456789abcdef", 3));
    private RocksDbMetadataStore metadata;

    @BeforeEach
    void listen(@TempDir Path data) throws Exception {
        metadata = RocksDbMetadataStore.open(data);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void leave() {
        recovery.shutdownNow();
        logger.detachAppender(lines);
        metadata.close();
    }

    private ILoggingEvent lineOf(IOException failure) {
        return lineOf(StorageException.unavailable("segment cannot be recovered", Effect.NONE, failure));
    }

    private ILoggingEvent lineOf(StorageException failure) {
        PartitionOpener opener = new PartitionOpener(
                new Partitions(metadata),
                id -> SegmentOptions.DEFAULT,
                (opened, catalog) -> {
                    throw failure;
                },
                SmallLogs.onCallersThread(() -> 0),
                recovery,
                ending -> {},
                "me");
        opener.begin(partition);
        await().until(() -> partition.is(State.FAILED));
        opener.stop();
        return lines.list.get(0);
    }

    /** Another server is deleting the topic. */
    @Test
    void fileThatIsNotThereIsALineWithoutATrace() {
        ILoggingEvent line = lineOf(new FileNotFoundException("File does not exist: 0-1.log"));

        assertThat(line.getThrowableProxy()).isNull();
        assertThat(line.getFormattedMessage())
                .contains("file missing", "partition=0123456789abcdef0123456789abcdef/3", "0-1.log");
    }

    /** Another server has taken over the partition, or deletes the topic. */
    @Test
    void openingThatIsFencedIsALineWithoutATrace() {
        ILoggingEvent line = lineOf(new StorageException(Reason.FENCED, Effect.NONE, "taken by another", null));

        assertThat(line.getThrowableProxy()).isNull();
        assertThat(line.getLevel()).isEqualTo(Level.WARN);
        assertThat(line.getFormattedMessage())
                .contains("not opened", "partition=0123456789abcdef0123456789abcdef/3", "taken by another");
    }

    @Test
    void anyOtherFailureHasItsTrace() {
        assertThat(lineOf(new IOException("I/O error")).getThrowableProxy()).isNotNull();
    }
}
