// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * Loads the native library of RocksDB. It is copied out of its jar to a temporary file, which is deleted as soon as it
 * is loaded. RocksDB itself deletes its copy when the process ends regularly: each process that was killed would leave
 * 17 MB, until the disk is full.
 *
 * <p>Thread-safe.
 */
final class NativeLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    private static boolean loaded;

    private NativeLibrary() {}

    /**
     * Loads the library, unless it is loaded already.
     *
     * @throws MetadataException UNAVAILABLE: it cannot be copied or loaded
     */
    static synchronized void load() throws MetadataException {
        if (loaded) {
            return;
        }
        try {
            Path folder = Files.createTempDirectory("talos-rocksdb-");
            try {
                NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
            } finally {
                delete(folder);
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            throw new MetadataException(
                    Reason.UNAVAILABLE,
                    Effect.NONE,
                    "cannot load the library of RocksDB from the directory for temporary files, which needs 20 MB and"
                            + " the right to execute files; -Djava.io.tmpdir in TALOS_JAVA_OPTS names another directory: "
                            + e.getMessage(),
                    e);
        }
        RocksDB.loadLibrary(); // finds it loaded
        loaded = true;
    }

    /** A file system that cannot delete a file in use keeps it: RocksDB deletes it at the end then. */
    private static void delete(Path folder) {
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (IOException e) {
            LOG.warn("the library of RocksDB is loaded, but its copy cannot be deleted directory={}", folder, e);
        }
    }
}
