// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.storage.local.Stores.PATHS;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.journal.JournalFormat;

/** The journal's files, each step of which may fail once. */
class LocalJournalFilesTest {
    private final LosingDisk disk = new LosingDisk(Stores.ROOT);
    private LocalJournalFiles files;

    @BeforeEach
    void open() throws Exception {
        disk.createDirectory(PATHS.journal());
        disk.createDirectory(PATHS.segments());
        files = files(true);
    }

    private LocalJournalFiles files(boolean synced) throws Exception {
        return new LocalJournalFiles(disk, PATHS, synced, JournalList.open(disk, PATHS));
    }

    private void begin(long number) throws IOException {
        ByteBuffer header = JournalFormat.fileHeader(number, 0, 0, 1, true);
        files.begin(number, header).close();
    }

    private void makeSpare() throws IOException {
        begin(1);
        files.end(1, true);
        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.spareJournal(1));
    }

    private void failOnce(String operation, String suffix) {
        disk.fault((each, path) -> {
            if (each.equals(operation) && path.toString().endsWith(suffix)) {
                disk.heal();
                throw new IOException("made to fail");
            }
        });
    }

    private void assertAlone(long number) throws Exception {
        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.journal(number));
        assertThat(JournalList.open(disk, PATHS).size()).as("listed").isEqualTo(1);
    }

    @Test
    void fileThatCouldNotBeListedGoesBeforeTheNextIsBegun() throws Exception {
        failOnce("write", "JOURNAL.new");
        assertThatThrownBy(() -> begin(1)).isInstanceOf(IOException.class);

        begin(2);

        assertAlone(2);
    }

    @Test
    void spareThatWasRenamedAndNotBegunGoesBeforeTheNextIsBegun() throws Exception {
        makeSpare();
        failOnce("syncDirectory", "journal");
        assertThatThrownBy(() -> begin(2)).isInstanceOf(IOException.class);

        begin(3);

        assertAlone(3);
    }

    @Test
    void noOtherIsBegunWhileOneThatWasBegunHalfWayCannotBeRemoved() throws Exception {
        failOnce("write", "JOURNAL.new");
        assertThatThrownBy(() -> begin(1)).isInstanceOf(IOException.class);

        failOnce("delete", ".journal");
        assertThatThrownBy(() -> begin(2)).isInstanceOf(IOException.class);
        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.journal(1));

        begin(3);
        assertAlone(3);
    }

    @Test
    void endOfAFileCanBeTriedAgainOnceItHasAnotherName() throws Exception {
        begin(1);
        failOnce("syncDirectory", "journal");
        assertThatThrownBy(() -> files.end(1, true)).isInstanceOf(IOException.class);

        files.end(1, true);

        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.spareJournal(1));
        begin(2); // in it
        assertAlone(2);
    }

    @Test
    void endThatDeletedAFileAndFailedKeepsNoSpareThatIsNotThere() throws Exception {
        makeSpare();
        begin(2); // in it
        begin(3);
        files.end(2, true);
        failOnce("syncDirectory", "journal");
        assertThatThrownBy(() -> files.end(3, true)).isInstanceOf(IOException.class);
        begin(4); // in the spare

        files.end(3, true);

        begin(5);
        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.journal(4), PATHS.journal(5));
    }

    /** The header that says so may still be on the disk when the power fails, and the new one not. */
    @Test
    void spareOfARunWithSyncsIsNotUsedWithout() throws Exception {
        makeSpare();

        files(false);

        assertThat(disk.list(PATHS.journal())).isEmpty();
    }
}
