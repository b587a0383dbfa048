// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.talos.server.auth.UserAdmin;

/**
 * The files that servers of one cluster share beside their stores: the key by which they know each other, and the one
 * of their users' secrets. Immutable.
 */
public final class SharedKeys {
    private static final int TRANSFER_KEY_BYTES = 32;

    private SharedKeys() {}

    /** Creates the key by which servers authenticate each other, unless it exists. Only its owner can ever read it. */
    public static Path transferKey(Path folder) throws IOException {
        Path file = folder.resolve("transfer.key");
        if (!Files.exists(file)) {
            byte[] key = new byte[TRANSFER_KEY_BYTES];
            new SecureRandom().nextBytes(key);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, Base64.getEncoder().encodeToString(key) + "\n");
        }
        return file;
    }

    /** Copies the users' key and the first credentials of a started server to one that was never started. */
    public static void share(Path dataOfFirst, Path dataOfOther) throws IOException {
        for (String file : List.of(UserAdmin.KEY_FILE, UserAdmin.FIRST_CREDENTIALS_FILE)) {
            Files.copy(dataOfFirst.resolve(file), dataOfOther.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
