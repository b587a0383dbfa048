// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.MetadataStoreContract;
import org.talos.server.metadata.RowKey;

final class RocksDbMetadataStoreTest extends MetadataStoreContract {
    private static final byte[] FORMAT_KEY = "\0format".getBytes(US_ASCII);
    private static final Path FULL = Path.of("/dev/full");
    private static final RowKey KEY = RowKey.table('x').and("key");

    @TempDir
    private Path directory;

    @Override
    protected MetadataStore open() throws MetadataException {
        return RocksDbMetadataStore.open(directory.resolve("meta"));
    }

    @Test
    void directoryInUseIsNamed() {
        assertThatThrownBy(this::open).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE);
            assertThat(e).hasMessageContaining("is in use by another server").hasMessageContaining("meta");
        });
    }

    @Test
    void beginningOfAValueIsAllThatIsRead() throws Exception {
        store.compareAndSet(KEY, 0, "{\"v\":2,\"owner\":\"ada\"}".getBytes(UTF_8))
                .orElseThrow();

        assertThat(store.scanBeginnings(RowKey.table('x'), RowKey.table('x'), 10, 6))
                .singleElement()
                .satisfies(row -> assertThat(row.value()).asString(UTF_8).isEqualTo("{\"v\":2"));
    }

    @Test
    void newerFormatIsRefusedAndLeftAlone() throws Exception {
        store.close();
        byte[] newer = ByteBuffer.allocate(20).putInt(2).putLong(9).array();
        withDatabase(database -> database.put(FORMAT_KEY, newer));

        assertThatThrownBy(this::open).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_FORMAT);
            assertThat(e).hasMessageContaining("format version 2 (expected: 1)");
        });
        withDatabase(database -> assertThat(database.get(FORMAT_KEY)).isEqualTo(newer));
    }

    @Test
    void rowsWithoutAFormatAreRefused() throws Exception {
        store.compareAndSet(KEY, 0, new byte[1]).orElseThrow();
        store.close();
        withDatabase(database -> database.delete(FORMAT_KEY));

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    @Test
    void rowWithoutAVersionIsCorrupt() throws Exception {
        store.close();
        withDatabase(database -> database.put(KEY.bytes(), new byte[3]));
        store = open();

        assertThatThrownBy(() -> store.get(KEY))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    @Test
    void damageInTheMiddleOfTheLogIsAnAlarmAndNotAShorterLog() throws Exception {
        for (int i = 0; i < 50; i++) {
            store.compareAndSet(RowKey.table('x').and(i), 0, "marker-of-row".getBytes(UTF_8))
                    .orElseThrow();
        }
        store.close();
        Path log = newestLog();
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length / 2] ^= 1;
        Files.write(log, bytes);

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    @Test
    void tornLastWriteIsDroppedAndTheRestServed() throws Exception {
        for (int i = 0; i < 10; i++) {
            store.compareAndSet(RowKey.table('x').and(i), 0, "marker-of-row".getBytes(UTF_8))
                    .orElseThrow();
        }
        store.close();
        Path log = newestLog();
        byte[] bytes = Files.readAllBytes(log);
        Files.write(log, Arrays.copyOf(bytes, bytes.length - 3));

        store = open();

        assertThat(store.scan(RowKey.table('x'), 100)).hasSize(9);
    }

    @Test
    void damageInTheLastWriteIsAnAlarmToo() throws Exception {
        store.compareAndSet(KEY, 0, "marker-of-row".getBytes(UTF_8)).orElseThrow();
        store.close();
        Path log = newestLog();
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length - 1] ^= 1;
        Files.write(log, bytes);

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    @Test
    void acknowledgedRowsAreInTheFilesWithoutAClose() throws Exception {
        for (int i = 0; i < 10; i++) {
            store.compareAndSet(RowKey.table('x').and(i), 0, new byte[100]).orElseThrow();
        }
        Path copy = Files.createDirectory(directory.resolve("copy"));
        try (Stream<Path> files = Files.list(directory.resolve("meta"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }

        try (MetadataStore restarted = RocksDbMetadataStore.open(copy)) {
            assertThat(restarted.scan(RowKey.table('x'), 100)).hasSize(10);
        }
    }

    @Test
    void writeThatFindsTheDiskFullDidNotHappenAndReadsContinue() throws Exception {
        assumeTrue(Files.exists(FULL), "a file that takes no byte");
        store.compareAndSet(KEY, 0, "kept".getBytes(UTF_8)).orElseThrow();
        List<Path> full = nextLogsWithoutRoom();

        List<RowKey> refused = new ArrayList<>();
        for (int i = 0; refused.size() < 2 && i < 100; i++) { // the database begins another log after 4 MiB
            RowKey key = RowKey.table('x').and(i);
            try {
                store.compareAndSet(key, 0, new byte[200_000]).orElseThrow();
            } catch (MetadataException e) {
                assertThat(e.reason()).as(e.getMessage()).isEqualTo(Reason.FULL);
                assertThat(e.effect()).as(e.getMessage()).isEqualTo(Effect.NONE);
                refused.add(key);
            }
        }

        assertThat(refused).hasSize(2);
        assertThat(store.get(KEY)).isPresent();
        store.close();
        for (Path each : full) {
            Files.deleteIfExists(each);
        }
        store = open();
        assertThat(store.get(KEY)).isPresent();
        assertThat(store.get(refused.get(0))).isEmpty();
        assertThat(store.compareAndSet(refused.get(1), 0, new byte[1])).isPresent();
    }

    /** Takes the names of the next logs for a file on which every write fails as on a full disk. */
    private List<Path> nextLogsWithoutRoom() throws IOException {
        String name = newestLog().getFileName().toString();
        int number = Integer.parseInt(name.substring(0, name.indexOf('.')));
        List<Path> full = new ArrayList<>();
        for (int next = number + 1; next <= number + 20; next++) {
            Path log = directory.resolve("meta").resolve(String.format(Locale.ROOT, "%06d.log", next));
            full.add(Files.createSymbolicLink(log, FULL));
        }
        return full;
    }

    private Path newestLog() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("meta"))) {
            List<Path> logs = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
            return logs.get(logs.size() - 1);
        }
    }

    private void withDatabase(Work work) throws Exception {
        try (Database database = Database.open(directory.resolve("meta"))) {
            work.on(database);
        }
    }

    private interface Work {
        void on(Database database) throws Exception;
    }
}
