// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.talos.common.error.Effect;
import org.talos.common.library.NativeLibraries;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * Loads the native library of RocksDB, once. RocksDB itself would unpack 17 MB into the directory for temporary files
 * and delete them when the process ends regularly.
 *
 * <p>Thread-safe.
 */
final class NativeLibrary {
    private static boolean loaded;

    private NativeLibrary() {}

    /**
     * Loads the library from the directory for temporary files, unless it is loaded already.
     *
     * @throws MetadataException UNAVAILABLE: it cannot be unpacked or loaded
     */
    static void load() throws MetadataException {
        load(List.of(NativeLibraries.temporaryFiles()));
    }

    /**
     * Loads the library from the first directory that allows it, unless it is loaded already.
     *
     * @throws MetadataException UNAVAILABLE: it cannot be unpacked or loaded
     */
    static synchronized void load(List<Path> directories) throws MetadataException {
        if (loaded) {
            return;
        }
        try {
            var unused = NativeLibraries.load(
                    "RocksDB",
                    directories,
                    folder -> NativeLibraryLoader.getInstance().loadLibrary(folder.toString()));
        } catch (IOException e) {
            throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, String.valueOf(e.getMessage()), e);
        }
        RocksDB.loadLibrary(); // finds it loaded
        loaded = true;
    }
}
