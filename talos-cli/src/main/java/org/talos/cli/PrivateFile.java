// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Files that only their user may read, from their first moment on; where the file system has no such permissions, as it
 * is. Immutable.
 */
public final class PrivateFile {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final String FOLDER = "rwx------";
    private static final String POSIX = "posix";

    private PrivateFile() {}

    /**
     * Creates an empty file, and the directories that it needs.
     *
     * @throws CommandException the file already exists or cannot be created
     */
    public static void create(Path file) throws CommandException {
        try {
            createFolders(file);
            Files.createFile(file, permissions(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY)));
        } catch (FileAlreadyExistsException e) {
            throw new CommandException(file + " is there already: name another file, or remove it first", e);
        } catch (IOException e) {
            throw new CommandException(file + " cannot be written: " + reason(e), e);
        }
    }

    /**
     * Replaces a file atomically.
     *
     * @throws CommandException it cannot be written
     */
    public static void write(Path file, List<String> lines) throws CommandException {
        // Not in the same folder under a name that a user might choose: ann.credentials.new may be Ann's next key.
        Path fresh = file.resolveSibling("." + file.getFileName() + ".talos-new");
        try {
            createFolders(file);
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, permissions(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY)));
            Files.write(fresh, lines);
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new CommandException(file + " cannot be written: " + reason(e), e);
        }
    }

    /** Refuses a file with a secret that others may read or write. */
    static void requirePrivate(Path file) throws CommandException {
        try {
            if (isPosix(file) && !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file))) {
                throw new CommandException("others may read " + file + ", which has a secret: chmod 600 " + file);
            }
        } catch (IOException e) {
            throw new CommandException(file + " cannot be read: " + reason(e), e);
        }
    }

    private static void createFolders(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(
                    folder,
                    permissions(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(FOLDER))));
        }
    }

    private static FileAttribute<?>[] permissions(Path file, FileAttribute<?> wanted) {
        return isPosix(file) ? new FileAttribute<?>[] {wanted} : new FileAttribute<?>[0];
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains(POSIX);
    }

    /** The JDK's message of most failures is the path, which the sentence has already. */
    private static String reason(IOException e) {
        return e.getClass()
                .getSimpleName()
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .replace(" Exception", "");
    }
}
