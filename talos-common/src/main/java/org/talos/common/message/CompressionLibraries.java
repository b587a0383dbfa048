// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import com.github.luben.zstd.util.Native;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.library.NativeLibraries;
import org.talos.thrift.MessageCompressionType;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;
import org.xerial.snappy.SnappyLoader;

/**
 * The native libraries of zstd and Snappy. Those compressions are not available in a process that cannot load them, as
 * where the directory for temporary files is mounted with {@code noexec}. LZ4 uses its Java code there, and gzip is the
 * JDK's.
 *
 * <p>Thread-safe.
 */
public final class CompressionLibraries {
    private static final Logger LOG = LoggerFactory.getLogger(CompressionLibraries.class);

    private static volatile @Nullable Loaded loaded;

    /** Why a library was not loaded; null if it was. Immutable. */
    private record Loaded(
            @Nullable String zstdFailure, @Nullable String snappyFailure) {}

    private CompressionLibraries() {}

    /**
     * Loads the libraries, unless that was tried before. A failure is logged, and shows when a compression is used.
     *
     * @param directories into which libraries may be unpacked, one or more. The first that allows it is used
     */
    public static void load(List<Path> directories) {
        if (loaded == null) {
            var unused = loadOnce(directories);
        }
    }

    private static Loaded loaded() {
        Loaded known = loaded;
        return known == null ? loadOnce(List.of(NativeLibraries.temporaryFiles())) : known;
    }

    private static synchronized Loaded loadOnce(List<Path> directories) {
        Loaded known = loaded;
        if (known == null) {
            known = attempt(directories);
            loaded = known;
        }
        return known;
    }

    /** zstd first: Snappy cannot be tried again after a failure, so it gets the directory that zstd has found good. */
    private static Loaded attempt(List<Path> directories) {
        List<Path> good = directories;
        String zstdFailure = null;
        try {
            good = List.of(NativeLibraries.load("zstd", directories, folder -> Native.load(folder.toFile())));
        } catch (IOException e) {
            zstdFailure = logged(e);
        }
        try {
            var unused = NativeLibraries.load("Snappy", good, CompressionLibraries::loadSnappy);
            return new Loaded(zstdFailure, null);
        } catch (IOException e) {
            return new Loaded(zstdFailure, zstdFailure == null ? logged(e) : e.getMessage());
        }
    }

    private static String logged(IOException failure) {
        String sentence = String.valueOf(failure.getMessage());
        LOG.warn("{}. Messages are compressed by gzip instead", sentence);
        return sentence;
    }

    private static void loadSnappy(Path folder) throws IOException {
        @Nullable String before = System.getProperty(SnappyLoader.KEY_SNAPPY_TEMPDIR);
        if (before == null) {
            System.setProperty(SnappyLoader.KEY_SNAPPY_TEMPDIR, folder.toString());
        }
        try {
            var unused = Snappy.maxCompressedLength(1); // its first use loads it
        } catch (SnappyError e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (before == null) {
                System.clearProperty(SnappyLoader.KEY_SNAPPY_TEMPDIR);
            }
        }
    }

    /** Returns whether messages can be compressed and decompressed so in this process. */
    public static boolean canUse(MessageCompressionType type) {
        return failure(type) == null;
    }

    /**
     * Checks that messages can be compressed and decompressed so in this process.
     *
     * @throws MissingLibraryException they cannot
     */
    static void require(MessageCompressionType type) {
        String failure = failure(type);
        if (failure != null) {
            throw new MissingLibraryException(failure);
        }
    }

    private static @Nullable String failure(MessageCompressionType type) {
        return switch (type) {
            case NONE, GZIP, LZ4 -> null;
            case SNAPPY -> loaded().snappyFailure;
            case ZSTD -> loaded().zstdFailure;
        };
    }
}
