// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Creates directories so that their names survive a crash. An existing directory may not be durable: its creator may
 * have crashed before it was synced. So each is synced into its parent once per run, and is known from then on.
 *
 * <p>Thread-safe.
 */
final class Directories {
    private final Disk disk;
    private final Path root;

    @GuardedBy("this")
    private final Set<Path> durable = new HashSet<>();

    /** Directories above the root count as durable if they exist. */
    Directories(Disk disk, Path root) {
        this.disk = disk;
        this.root = root.toAbsolutePath();
    }

    synchronized void make(Path path) throws IOException {
        Path directory = path.toAbsolutePath();
        if (durable.contains(directory) || (!directory.startsWith(root) && disk.exists(directory))) {
            return;
        }
        Path parent = DiskPaths.parent(directory);
        make(parent);
        disk.createDirectory(directory);
        disk.syncDirectory(parent);
        durable.add(directory);
    }

    /** Deletes the empty directories in a directory. Nothing may be created in them during the call. */
    synchronized void deleteEmptyIn(Path path) throws IOException {
        for (Path each : disk.list(path)) {
            deleteIfEmpty(each);
        }
    }

    /** Deletes a directory if it exists and is empty. Nothing may be created in it during the call. */
    synchronized void deleteIfEmpty(Path path) throws IOException {
        if (disk.isDirectory(path) && disk.list(path).isEmpty()) {
            delete(path);
        }
    }

    /** Deletes an empty directory. */
    synchronized void delete(Path path) throws IOException {
        Path directory = path.toAbsolutePath();
        durable.remove(directory);
        if (disk.exists(directory)) {
            disk.deleteIfExists(directory);
            disk.syncDirectory(DiskPaths.parent(directory));
        }
    }
}
