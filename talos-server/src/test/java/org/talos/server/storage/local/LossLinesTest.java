// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Log lines of messages that a power failure took from the middle of a segment. */
@Isolated // listens to a logger of all
@Timeout(30)
class LossLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.talos.server.log.LogRecovery");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);
    private final MemoryCatalog catalog = new MemoryCatalog();
    private JournaledSegmentStore store;

    /** The first of three messages has a hole, and the store knows that the power has failed. */
    @BeforeEach
    void listenWhereAMessageIsLost() throws StorageException {
        store = Stores.open(disk, Durability.FLUSH);
        FlushPowerFailureTest.put(FlushPowerFailureTest.open(store, catalog), new Random(1), 3, new HashMap<>());
        disk.failAfter(0);
        store.close();
        disk.processEnds();
        Stores.open(disk, Durability.FLUSH).close(); // replays the journal, of which nothing is left
        SegmentName name = catalog.segments().get(0).name();
        Path segment = Stores.PATHS.segment(name);
        byte[] bytes = disk.bytes(segment);
        bytes[100] ^= 1;
        disk.overwrite(segment, bytes);
        String line = name.log().topicId() + " 0 0 " + name.epoch() + " 0\n";
        disk.overwrite(Stores.PATHS.unsynced(), line.getBytes(StandardCharsets.UTF_8));
        store = Stores.open(disk, Durability.FLUSH);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        store.close();
    }

    private void open() throws StorageException {
        var unused = FlushPowerFailureTest.open(store, catalog);
    }

    private long losses() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.ERROR)
                .filter(line -> line.getFormattedMessage().startsWith("acknowledged messages lost"))
                .count();
    }

    @Test
    void openingReportsALossOnce() throws Exception {
        open();
        open();

        assertThat(losses()).isEqualTo(1);
    }

    /** The log does not continue, and nothing of it was cut. */
    @Test
    void logThatIsRefusedForADamagedSegmentBehindReportsNoLoss() throws Exception {
        SegmentCatalog row = catalog.takeOver();
        SegmentName missing = new SegmentName(Stores.LOG, 3, row.epoch());
        row.add(missing);
        row.made(missing);

        assertThatThrownBy(this::open).hasMessageContaining("is missing");

        assertThat(losses()).isZero();
    }

    /** The row has the gap already, so the next opening does not find the loss. */
    @Test
    void openingThatGetsNoAnswerForTheGapReportsTheLoss() throws Exception {
        catalog.failAfter(0, true);
        assertThatThrownBy(this::open).isInstanceOf(StorageException.class);
        catalog.heal();

        open();

        assertThat(losses()).isEqualTo(1);
    }

    @Test
    void openingThatFailsBeforeItsChangesLeavesTheReportToTheNext() throws Exception {
        catalog.failAfter(0, false);
        assertThatThrownBy(this::open).isInstanceOf(StorageException.class);
        assertThat(losses()).isZero();
        catalog.heal();

        open();

        assertThat(losses()).isEqualTo(1);
    }
}
