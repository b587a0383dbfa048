// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.StoredFile;

/**
 * Determines whether the system has been up since the last start in a directory, its disk has stayed attached, and the
 * directory is the same and no copy. If so, everything that the last run wrote is there, synced or not. The note is
 * beside the logs, in the file RUN: the text {@code talos run 3}, a space, the result of {@link Disk#lifeOf} for the
 * lock file, a space, the result of {@link Disk#attachmentOf} for the journal or {@code -}, and a line feed. All
 * unsynced bytes are in the journal. Version 2 has no disk. Version 1 was written before the journal was deleted, so it
 * does not show that a journal is complete.
 *
 * <p>A start that cannot replay a complete journal notes that in the file REFUSED, once it has synced the journal: the
 * line {@code talos refused 1} and the text of RUN. The refusal holds as long as RUN has this text. An operator who
 * accepts the loss removes RUN, and an earlier version that has started in between has replaced it.
 *
 * <p>Confined: the opening thread.
 */
final class SystemRun {
    private static final String FORM = "talos run 3 ";
    private static final String FORM_WITHOUT_DISK = "talos run 2 ";
    private static final String REFUSED_FORM = "talos refused 1\n";
    private static final int MAX_BYTES = 1_000;

    private final Disk disk;
    private final DiskPaths paths;

    SystemRun(Disk disk, DiskPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    /** Returns whether nothing that the last run wrote can be lost. */
    boolean isSame() throws IOException {
        Optional<String> life = disk.lifeOf(paths.lock());
        if (life.isEmpty()) {
            return false;
        }
        String noted = read(paths.systemRun()).orElse("");
        return noted.equals(text(life.get())) || noted.equals(FORM_WITHOUT_DISK + life.get() + "\n");
    }

    /**
     * Returns whether an earlier start has refused the journal of the last run, and the loss was not accepted.
     *
     * @throws StorageException CORRUPT: a later version has noted the refusal
     */
    boolean isRefused() throws IOException, StorageException {
        Optional<String> refused = read(paths.refusal());
        if (refused.isEmpty()) {
            return false;
        }
        if (!refused.get().startsWith(REFUSED_FORM)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    paths.refusal() + " is not the refusal of a journal (expected: '" + REFUSED_FORM.strip() + "')",
                    null);
        }
        return read(paths.systemRun()).equals(Optional.of(refused.get().substring(REFUSED_FORM.length())));
    }

    /**
     * Returns whether to note a refusal of the journal: no power failure explains its damage, and no earlier start has
     * noted it.
     */
    boolean isNewlyRefused() throws IOException, StorageException {
        return isSame() && !isRefused();
    }

    /** Notes that the journal, which is on the disk, was refused; durable once this returns. */
    void refuse() throws IOException {
        String noted = read(paths.systemRun()).orElse("");
        disk.replace(paths.refusal(), (REFUSED_FORM + noted).getBytes(StandardCharsets.UTF_8));
    }

    /** Notes the run for the next start, and forgets a refusal; durable once this returns. */
    void save() throws IOException {
        if (disk.exists(paths.refusal())) { // first: it must not meet the RUN of a later journal
            disk.deleteIfExists(paths.refusal());
            disk.syncDirectory(paths.root());
        }
        Optional<String> life = disk.lifeOf(paths.lock());
        if (life.isPresent()) {
            disk.replace(paths.systemRun(), text(life.get()).getBytes(StandardCharsets.UTF_8));
        } else {
            disk.deleteIfExists(paths.systemRun());
        }
    }

    private String text(String life) throws IOException {
        Path journal = paths.journal();
        Optional<String> attachment = disk.exists(journal) ? disk.attachmentOf(journal) : Optional.empty();
        return FORM + life + " " + attachment.orElse("-") + "\n";
    }

    private Optional<String> read(Path path) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (StoredFile file = disk.open(path)) {
            file.read(0, bytes);
            return Optional.of(StandardCharsets.UTF_8.decode(bytes.flip()).toString());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
