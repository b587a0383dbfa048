// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.storage.local.Stores.LOG;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Names of files where digits are not ASCII ones, and what servers have left that wrote such names. */
@Timeout(60)
class NamesOfOtherLocalesTest {
    private static final SegmentName FIRST = segment(0);
    private static final SegmentName SECOND = segment(3);
    /** The second of the two bytes of UTF-8; the first is D9. */
    private static final int ARABIC_ZERO = 0xA0;

    @TempDir
    Path folder;

    private Path root;
    private DiskPaths paths;

    @BeforeEach
    void placeStore() {
        root = folder.resolve("store");
        paths = new DiskPaths(root);
    }

    private JournaledSegmentStore open() throws StorageException {
        return LocalSegmentStore.open(root, Stores.config(Durability.FSYNC), () -> 0, (bytes, write, sync) -> {});
    }

    /** The same file as a server named it whose locale was Egypt's, in whatever this JVM takes names for. */
    private static Path arabic(Path file) {
        String name = String.valueOf(file.getFileName())
                .chars()
                .mapToObj(each -> each >= '0' && each <= '9'
                        ? String.format(Locale.ROOT, "%%D9%%%X", ARABIC_ZERO + each - '0')
                        : Character.toString(each))
                .collect(Collectors.joining());
        return Path.of(URI.create(DiskPaths.parent(file).toUri() + name));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !DiskPaths.isSpareJournal(file))
                    .toList();
        }
    }

    /** Leaves what a server leaves that was killed: a sealed segment, and one that stands in the journal too. */
    private void crash() throws Exception {
        Path copy = folder.resolve("copy");
        try (JournaledSegmentStore store = open()) {
            SegmentWriter sealed = store.create(FIRST);
            sealed.append(bytes("abc")).join();
            sealed.seal();
            store.saveIndex(FIRST, new byte[] {1});
            store.create(SECOND).append(bytes("def")).join();
            copy(root, copy);
        }
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(each);
            }
        }
        Files.move(copy, root);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }

    private void nameInArabic() throws IOException {
        for (Path file : files()) {
            if (String.valueOf(file.getFileName()).matches("[0-9]{20}.*")) {
                Files.move(file, arabic(file));
            }
        }
    }

    @Test
    @DefaultLocale(language = "ar", country = "EG")
    void namesHaveAsciiDigitsWhateverTheLocaleIs() {
        assertThat(paths.journal(7)).hasFileName("00000000000000000007.journal");
        assertThat(paths.spareJournal(7)).hasFileName("00000000000000000007.spare");
        assertThat(paths.segment(segment(7))).hasFileName("00000000000000000007-1.log");
        assertThat(paths.index(segment(7))).hasFileName("00000000000000000007-1.index");
        assertThat(DiskPaths.segment(LOG, paths.segment(segment(7)))).contains(segment(7));
    }

    @Test
    void startReadsFilesThatWereNamedInArabicDigitsAndGivesThemTheirNames() throws Exception {
        crash();
        nameInArabic();

        try (JournaledSegmentStore store = open()) {
            assertThat(store.lengths(LOG).keySet()).containsExactlyInAnyOrder(FIRST, SECOND);
            assertThat(text(store, FIRST)).isEqualTo("abc");
            assertThat(text(store, SECOND)).isEqualTo("def");
            assertThat(store.loadIndex(FIRST)).contains(new byte[] {1});
        }
        assertThat(files()).allMatch(file -> String.valueOf(file.getFileName()).matches("[-A-Za-z0-9.]+"));
    }

    @Test
    void lookWithoutAServerReadsSuchNamesAndChangesNone() throws Exception {
        crash();
        nameInArabic();
        List<Path> before = files();

        try (LocalInspection inspection = LocalInspection.open(root)) {
            assertThat(inspection.listedJournalFiles()).isPositive();
            assertThat(inspection.journal().parts()).containsKey(SECOND);
            assertThat(inspection.segments().get(LOG)).containsOnlyKeys(FIRST, SECOND);
            assertThat(text(inspection, FIRST)).isEqualTo("abc");
        }
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void twoFilesThatShouldHaveOneNameAreRefusedAndBothStay() throws Exception {
        crash();
        Path segment = paths.segment(FIRST);
        Files.copy(segment, arabic(segment));

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining(segment.toString());
        assertThat(segment).exists();
        assertThat(arabic(segment)).exists();
    }
}
