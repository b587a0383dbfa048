// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.check.faulty.JournalTrouble.How;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.StoredFile;

@Timeout(30)
class FaultyJournalsTest {
    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong();
    private final Written written = new Written();
    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("journal-trouble");
    }

    /** A file that keeps what is written to it, and its journal. */
    private static final class Written implements StoredFile, JournalFiles {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int syncs;

        @Override
        public void write(long position, List<ByteBuffer> more) {
            more.forEach(each -> {
                byte[] copy = new byte[each.remaining()];
                each.duplicate().get(copy);
                bytes.writeBytes(copy);
            });
        }

        @Override
        public void sync() {
            syncs++;
        }

        @Override
        public int read(long position, ByteBuffer target) {
            return 0;
        }

        @Override
        public long size() {
            return bytes.size();
        }

        @Override
        public void truncate(long length) {}

        @Override
        public void close() {}

        @Override
        public boolean synced() {
            return true;
        }

        @Override
        public boolean survivesPowerFailures() {
            return true;
        }

        @Override
        public StoredFile begin(long number, ByteBuffer header) {
            return this;
        }

        @Override
        public void end(long number, boolean sound) {}
    }

    private StoredFile opened(JournalTrouble trouble) throws IOException {
        trouble.write(file);
        return new FaultyJournals(file, nanos::get).around(written).begin(1, ByteBuffer.allocate(0));
    }

    private static List<ByteBuffer> batch(String... parts) {
        return List.of(parts).stream()
                .map(each -> ByteBuffer.wrap(each.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private String text() {
        return written.bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void writesAreTheFilesOwnWhileThereIsNoTrouble() throws Exception {
        StoredFile journal = opened(JournalTrouble.NONE);

        journal.write(0, batch("ab", "cd"));

        assertThat(text()).isEqualTo("abcd");
        assertThat(written.syncs).isZero();
    }

    @Test
    void oneOfSoManyWritesFails() throws Exception {
        StoredFile journal = opened(new JournalTrouble(How.BEFORE, 2, Duration.ZERO));

        journal.write(0, batch("ab"));
        assertThatThrownBy(() -> journal.write(2, batch("cd"))).hasMessageContaining("the check lets writes fail");
        journal.write(2, batch("ef"));

        assertThat(text()).isEqualTo("abef");
    }

    @Test
    void tornWriteHasTheFirstHalf() throws Exception {
        StoredFile journal = opened(new JournalTrouble(How.TORN, 1, Duration.ZERO));

        assertThatThrownBy(() -> journal.write(0, batch("abc", "", "def", "gh")))
                .isInstanceOf(IOException.class);

        assertThat(text()).isEqualTo("abcd");
    }

    @Test
    void writeMayFailThoughAllOfItIsOnTheDisk() throws Exception {
        StoredFile journal = opened(new JournalTrouble(How.AFTER, 1, Duration.ZERO));

        assertThatThrownBy(() -> journal.write(0, batch("abc"))).isInstanceOf(IOException.class);

        assertThat(text()).isEqualTo("abc");
        assertThat(written.syncs).isEqualTo(1);
    }

    @Test
    void slowWriteIsWrittenAll() throws Exception {
        StoredFile journal = opened(new JournalTrouble(How.SLOW, 1, Duration.ofMillis(20)));
        long start = System.nanoTime();

        journal.write(0, batch("abc"));

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(text()).isEqualTo("abc");
    }

    @Test
    void changeOfTheFileIsSeenSoon() throws Exception {
        StoredFile journal = opened(JournalTrouble.NONE);
        new JournalTrouble(How.BEFORE, 1, Duration.ZERO).write(file);

        journal.write(0, batch("a")); // not yet: the file is not read at each write
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));

        assertThatThrownBy(() -> journal.write(1, batch("b"))).isInstanceOf(IOException.class);
    }
}
