// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.StoredFile;

/** Locks a store's directory for one process, and checks its format version. Thread-safe. */
final class DirectoryLock implements AutoCloseable {
    private static final String FORMAT = "talos segments 1\n";
    private static final int MAX_FORMAT_BYTES = 100;

    private final Closeable held;

    private DirectoryLock(Closeable held) {
        this.held = held;
    }

    /**
     * Takes a directory that is there.
     *
     * @throws StorageException UNAVAILABLE: another server has it; CORRUPT: another format
     */
    static DirectoryLock take(Path root, Disk disk) throws IOException, StorageException {
        Optional<Closeable> lock = disk.lock(root.resolve("LOCK"));
        if (lock.isEmpty()) {
            throw new StorageException(
                    Reason.UNAVAILABLE, Effect.NONE, "directory " + root + " is in use by another server", null);
        }
        try {
            checkFormat(root.resolve("FORMAT"), disk);
            return new DirectoryLock(lock.get());
        } catch (IOException | StorageException | RuntimeException | Error e) {
            lock.get().close();
            throw e;
        }
    }

    /** Refuses another format than ours; a directory without one gets it. */
    static void checkFormat(Path path, Disk disk) throws IOException, StorageException {
        if (!disk.exists(path)) {
            disk.replace(path, FORMAT.getBytes(StandardCharsets.UTF_8));
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(MAX_FORMAT_BYTES);
        try (StoredFile file = disk.open(path)) {
            file.read(0, bytes);
        }
        String format = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        if (!format.equals(FORMAT)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "format '" + format.strip() + "' in " + path + " (expected: " + FORMAT.strip() + ")",
                    null);
        }
    }

    @Override
    public void close() throws IOException {
        held.close();
    }
}
