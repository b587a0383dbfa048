// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.StoredFile;

/**
 * The journal files that must exist at the next start, in a file outside of the journal. No other file names the newest
 * one, so without the list it could be missing unnoticed. A file is listed before it has an acknowledged byte, and
 * removed from the list before it is deleted.
 *
 * <p>Thread-safe.
 */
final class JournalList {
    private static final String FORM = "talos journal 1\n";
    private static final Pattern LINES = Pattern.compile(FORM + "(?:[0-9]{1,18}\n)*+");

    private final Disk disk;
    private final DiskPaths paths;

    @GuardedBy("this")
    private final Set<Long> numbers;

    @GuardedBy("this")
    private boolean changed; // since it was saved

    private JournalList(Disk disk, DiskPaths paths, Set<Long> numbers) {
        this.disk = disk;
        this.paths = paths;
        this.numbers = new TreeSet<>(numbers);
    }

    /**
     * Reads the list, and checks that the listed files exist. A directory without a list is accepted as it is.
     *
     * @throws StorageException CORRUPT: a part of the directory is missing, or the list has another form
     */
    static JournalList open(Disk disk, DiskPaths paths) throws IOException, StorageException {
        Path path = paths.journalList();
        if (!disk.exists(path)) {
            return new JournalList(disk, paths, Set.of());
        }
        String text;
        try (StoredFile file = disk.open(path)) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(0, bytes);
            text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
        }
        if (!LINES.matcher(text).matches()) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    path + " is no list of journal files (expected: " + FORM.strip() + ")",
                    null);
        }
        Set<Long> listed = text.lines().skip(1).map(Long::valueOf).collect(Collectors.toSet());
        for (Path directory : new Path[] {paths.journal(), paths.segments()}) {
            if (!disk.exists(directory)) {
                throw missing("directory", directory);
            }
        }
        Optional<Path> lost = listed.stream()
                .sorted()
                .map(paths::journal)
                .filter(file -> !disk.exists(file))
                .findFirst();
        if (lost.isPresent()) {
            throw missing("journal file", lost.get());
        }
        return new JournalList(disk, paths, listed);
    }

    private static StorageException missing(String what, Path path) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "the " + what + " " + path + " is missing: acknowledged messages are lost with it. Nothing"
                        + " was changed. Put it back, or the whole data directory from one copy: docs/operations.md,"
                        + " 'A part that is missing'",
                null);
    }

    /** Returns the number of files that must exist. */
    synchronized int size() {
        return numbers.size();
    }

    /** Lists a file that is there. */
    synchronized void add(long number) throws IOException {
        numbers.add(number);
        changed = true;
        save();
    }

    /** Removes a file from the list before it is deleted. */
    synchronized void remove(long number) throws IOException {
        changed |= numbers.remove(number); // possibly by an earlier attempt, which could not save it
        if (changed) {
            save();
        }
    }

    /** Empties the list, or creates an empty one. */
    synchronized void clear() throws IOException {
        numbers.clear();
        changed = true;
        save();
    }

    @GuardedBy("this")
    private void save() throws IOException {
        String text = numbers.stream().map(each -> each + "\n").collect(Collectors.joining("", FORM, ""));
        disk.replace(paths.journalList(), text.getBytes(StandardCharsets.US_ASCII));
        changed = false;
    }
}
