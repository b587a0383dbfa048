// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.talos.server.storage.journal.StoredFile;

/**
 * Tells whether the system has been up since the last start in a directory, and the directory is the same, and no copy:
 * then all that the last run wrote is there, synced or not. Noted beside the logs, in the file RUN: the text
 * {@code talos run 2}, a space, what {@link Disk#lifeOf} says of the lock file, and a line feed. Version 1 was written
 * before the journal was deleted, so it does not say that a journal is complete.
 *
 * <p>Confined: the opening thread.
 */
final class SystemRun {
    private static final String FORM = "talos run 2 ";
    private static final int MAX_BYTES = 1_000;

    private final Disk disk;
    private final DiskPaths paths;

    SystemRun(Disk disk, DiskPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    /** Returns whether nothing that the last run wrote can be lost. */
    boolean isSame() throws IOException {
        Optional<String> now = text();
        return now.isPresent() && now.equals(noted());
    }

    /** Notes it for the next start; durable once this returns. */
    void save() throws IOException {
        Optional<String> now = text();
        if (now.isPresent()) {
            disk.replace(paths.systemRun(), now.get().getBytes(StandardCharsets.UTF_8));
        } else {
            disk.deleteIfExists(paths.systemRun());
        }
    }

    private Optional<String> text() throws IOException {
        return disk.lifeOf(paths.lock()).map(life -> FORM + life + "\n");
    }

    private Optional<String> noted() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (StoredFile file = disk.open(paths.systemRun())) {
            file.read(0, bytes);
            return Optional.of(StandardCharsets.UTF_8.decode(bytes.flip()).toString());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
