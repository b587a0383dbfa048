// SPDX-License-Identifier: Apache-2.0
package org.talos.common.library;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads native libraries, which have to be unpacked from their jars. A copy is deleted as soon as its library is
 * loaded. Otherwise a process that is killed would leave it there.
 *
 * <p>Thread-safe.
 */
public final class NativeLibraries {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibraries.class);
    /** How the names of folders begin in which a library is while it is loaded. */
    public static final String FOLDER = "talos-native-";

    private static final String GLOB = FOLDER + "*";

    private NativeLibraries() {}

    /** Unpacks a library into a folder and loads it. */
    @FunctionalInterface
    public interface Loader {
        /**
         * Unpacks and loads. A {@link LinkageError} or a {@link RuntimeException} is a failure, too.
         *
         * @throws IOException the library cannot be unpacked
         */
        void loadFrom(Path folder) throws IOException;
    }

    /** Returns the JVM's directory for temporary files. */
    public static Path temporaryFiles() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Loads a library from the first directory that allows it.
     *
     * @param name of the library, for operators
     * @param directories existing directories, one or more
     * @return the directory
     * @throws IOException no directory allows it; the message names all of them and has the remedy
     */
    public static Path load(String name, List<Path> directories, Loader loader) throws IOException {
        StringBuilder tried = new StringBuilder();
        IOException failure = new IOException("no directory");
        for (Path each : directories) {
            try {
                load(each, loader);
                return each;
            } catch (IOException | RuntimeException | LinkageError e) {
                tried.append(tried.isEmpty() ? "" : "; ")
                        .append(each)
                        .append(" (")
                        .append(reason(e))
                        .append(')');
                failure = new IOException(e);
            }
        }
        throw new IOException(
                "cannot load the library of " + name + ": it is unpacked into a directory that must be writable, have"
                        + " 20 MB free, and not be mounted with noexec. Tried: " + tried
                        + ". Java's option -Djava.io.tmpdir=DIRECTORY names another one, for bin/talos in"
                        + " TALOS_JAVA_OPTS",
                failure.getCause());
    }

    /**
     * Deletes the files that killed processes have left in a directory while they loaded a library. A failure is
     * logged.
     *
     * @param before folders that were changed later are left: somebody may be loading from them
     */
    public static void deleteStale(Path directory, Instant before) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(directory, GLOB)) {
            for (Path folder : folders) {
                BasicFileAttributes found =
                        Files.readAttributes(folder, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (found.isDirectory() && found.lastModifiedTime().toInstant().isBefore(before)) {
                    delete(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("search for old copies of native libraries failed directory={}", directory, e);
        }
    }

    private static String reason(Throwable failure) {
        return failure instanceof UnsatisfiedLinkError && failure.getMessage() != null
                ? failure.getMessage().lines().findFirst().orElse("")
                : failure.toString();
    }

    private static void load(Path directory, Loader loader) throws IOException {
        Path folder = Files.createTempDirectory(directory, FOLDER);
        try {
            loader.loadFrom(folder);
        } finally {
            delete(folder);
        }
    }

    /** A file system that cannot delete a file in use keeps it. The library's own code deletes it at the end then. */
    private static void delete(Path folder) {
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (IOException e) {
            LOG.warn("copy of a native library cannot be deleted directory={}", folder, e);
        }
    }
}
