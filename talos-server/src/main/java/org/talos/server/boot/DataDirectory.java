// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.UserAdmin;

/**
 * Makes the data directory private to the server: messages and rows are readable over the API, not by every user of the
 * machine. Permissions that others had are removed. The owner's permissions and files that are not the server's stay as
 * they are.
 *
 * <p>Confined: to the thread that starts the server, before anything is opened.
 */
final class DataDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    /** The private files without the key of the secrets: if others could read that, the start is refused. */
    private static final List<String> OWN = List.of(Stores.LOGS, Stores.METADATA, UserAdmin.FIRST_CREDENTIALS_FILE);

    private static final int STICKY = 01000; // of a directory that belongs to all, as /tmp

    private int closed;

    private DataDirectory() {}

    /**
     * Creates the directory if it is missing, and removes others' permissions on the server's files in it.
     *
     * @throws IOException it cannot be made
     */
    static void secure(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) { // asked first: of a link to one the JDK says that it is there already
            make(directory);
        }
        DataDirectory secured = new DataDirectory();
        try {
            Path real = directory.toRealPath();
            if (!isOfAll(real)) {
                secured.close(real);
            }
            for (String name : OWN) {
                secured.closeAll(real.resolve(name));
            }
        } catch (FileSystemException e) {
            LOG.warn("data directory may be readable by other users, permission change failed cause={}", e.toString());
        }
        if (secured.closed > 0) {
            LOG.warn("permissions tightened data={} paths={}", directory, secured.closed);
        }
    }

    private static void make(Path directory) throws IOException {
        try {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER));
        } catch (IOException e) {
            throw new IOException("dataDirectory: " + directory + " cannot be made: " + why(e), e);
        }
    }

    private static String why(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return "this user may not write in " + Path.of(denied.getFile()).getParent();
        }
        return failure instanceof FileAlreadyExistsException ? "it is a file" : failure.toString();
    }

    private static boolean isOfAll(Path directory) throws IOException {
        return directory.getParent() == null || ((int) Files.getAttribute(directory, "unix:mode") & STICKY) != 0;
    }

    /**
     * Also follows a link that replaces a directory which was moved to another disk. Does not descend into logs that
     * others cannot enter: their files are out of reach, and there may be a million of them.
     */
    private void closeAll(Path own) throws IOException {
        if (!Files.exists(own)) {
            return;
        }
        Path real = own.toRealPath();
        if (own.endsWith(Stores.LOGS) && isClosed(real)) {
            return;
        }
        Files.walkFileTree(real, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) throws IOException {
                close(path);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                if (!attributes.isSymbolicLink()) {
                    close(path);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) { // deleted by another server of the directory
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
    }

    private static boolean isClosed(Path path) throws IOException {
        return OWNER.containsAll(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private void close(Path path) throws IOException {
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
        if (!OWNER.containsAll(before)) {
            Set<PosixFilePermission> kept = EnumSet.copyOf(OWNER);
            kept.retainAll(before);
            Files.setPosixFilePermissions(path, kept);
            closed++;
        }
    }
}
