// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Renames files that an earlier version named with the digits of the default locale. Lists all directories of logs;
 * opening the logs lists them again, from the system's cache.
 *
 * <p>Confined: the start of a store, before anything is looked for by its name.
 */
final class RenamedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RenamedFiles.class);

    private final Disk disk;
    private int renamed;

    private RenamedFiles(Disk disk) {
        this.disk = disk;
    }

    /**
     * Renames all such files of a store. A crash leaves some renamed, and the next start renames the others.
     *
     * @throws StorageException CORRUPT: another file already has the name; neither was changed
     */
    static void rename(Disk disk, DiskPaths paths) throws IOException, StorageException {
        RenamedFiles files = new RenamedFiles(disk);
        files.renameIn(paths.journal());
        files.renameIn(paths.kept());
        for (Path topic : disk.list(paths.segments())) {
            for (Path log : disk.list(topic)) {
                files.renameIn(log);
            }
        }
        if (files.renamed > 0) {
            LOG.info("files with the digits of another locale renamed files={}", files.renamed);
        }
    }

    private void renameIn(Path directory) throws IOException, StorageException {
        int before = renamed;
        for (Path file : disk.list(directory)) {
            Path named = DiskPaths.named(file);
            if (!named.equals(file)) {
                rename(file, named);
            }
        }
        if (renamed > before) {
            disk.syncDirectory(directory);
        }
    }

    private void rename(Path file, Path named) throws IOException, StorageException {
        if (disk.exists(named)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "two files have the name " + named.getFileName() + ", one in the digits of another locale: "
                            + named + " and " + file.toUri().getRawPath()
                            + ". Nothing was changed. Move one of them out of the data directory",
                    null);
        }
        disk.move(file, named);
        renamed++;
    }
}
