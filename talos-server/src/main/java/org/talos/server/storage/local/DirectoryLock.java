// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/** Holds a store's directory for one process, and its format version. Thread-safe. */
final class DirectoryLock implements AutoCloseable {
    private static final String FORMAT = "talos segments 1\n";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the directory, making it if it is not there.
     *
     * @throws StorageException UNAVAILABLE: another server has it; CORRUPT: another format
     */
    static DirectoryLock take(Path root) throws IOException, StorageException {
        Files.createDirectories(root);
        FileChannel channel =
                FileChannel.open(root.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (tryLock(channel) == null) {
                throw new StorageException(
                        Reason.UNAVAILABLE, Effect.NONE, "directory " + root + " is in use by another server", null);
            }
            checkFormat(root.resolve("FORMAT"));
            return new DirectoryLock(channel);
        } catch (IOException | StorageException e) {
            channel.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this very process
        }
    }

    private static void checkFormat(Path file) throws IOException, StorageException {
        if (!Files.exists(file)) {
            Files.writeString(file, FORMAT);
            return;
        }
        String format = Files.readString(file, StandardCharsets.UTF_8);
        if (!format.equals(FORMAT)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "format «" + format.strip() + "» in " + file + " (expected: " + FORMAT.strip() + ")",
                    null);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
