// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * A small file that only its owner may see: there whole or not at all, and never readable by others, not even while it
 * is being written. Needs a file system with POSIX permissions.
 *
 * <p>Thread-safe, except for two writers of one file.
 */
final class PrivateFile {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Path path;

    PrivateFile(Path path) {
        this.path = path;
    }

    boolean exists() {
        return Files.exists(path);
    }

    /** Writes the text, replacing the existing one; durable when it returns. */
    void write(String text) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IOException(path + " is not a file's name");
        }
        Files.createDirectories(parent);
        Path unfinished = parent.resolve(path.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        try (FileChannel out = FileChannel.open(
                unfinished,
                EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
            directory.force(true); // the new name too must survive
        }
    }

    /** The text; refused if others could have read it. */
    String read() throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new IOException(path + " can be used by others than its owner ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 it, and change the secrets in it");
        }
        return Files.readString(path);
    }
}
