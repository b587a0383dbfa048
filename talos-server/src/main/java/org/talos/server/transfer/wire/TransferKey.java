// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The key that all servers share; {@link #toString} does not show it. While the key is replaced on one server after
 * another, connecting servers may also prove a second key.
 *
 * <p>Immutable.
 */
public final class TransferKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 64 << 10;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** The suffix of the file with a second key, beside that of the first. */
    private static final String ACCEPTED = ".accepted";

    private final SecretKeySpec secret;
    private final @Nullable TransferKey second;

    /** Takes a key of 32 bytes or more. */
    public TransferKey(byte[] secret) {
        this(secret, null);
    }

    private TransferKey(byte[] secret, @Nullable TransferKey second) {
        if (secret.length < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "transfer key: " + secret.length + " bytes (expected: at least " + LEAST_BYTES + ")");
        }
        this.secret = new SecretKeySpec(secret, ALGORITHM);
        this.second = second;
    }

    /** Returns the keys that a connecting server may prove: this one, and the second. */
    List<TransferKey> accepted() {
        return second == null ? List.of(this) : List.of(this, second);
    }

    /**
     * Reads {@code transfer.keyFile}, and the second key if there is a file of that name with {@code .accepted} behind
     * it.
     *
     * @throws IOException it is missing, too short, or readable by others; the message has the remedy
     */
    public static TransferKey read(String file) throws IOException {
        if (file.isBlank()) {
            throw new IOException("transfer.keyFile: blank (expected: the file with the key that all servers share)");
        }
        Path path = Path.of(file);
        Path beside = path.resolveSibling(path.getFileName() + ACCEPTED);
        TransferKey second = Files.exists(beside) ? new TransferKey(bytes(beside)) : null;
        return new TransferKey(bytes(path), second);
    }

    private static byte[] bytes(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new IOException(
                    "transfer.keyFile: " + path + " is missing; make it once and bring it to every server:"
                            + " (umask 077; openssl rand -base64 48 > " + path.getFileName() + ")");
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new IOException("transfer.keyFile: " + path + " can be used by others than its owner ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 it, and make a new key");
        }
        long bytes = Files.size(path);
        if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
            throw new IOException("transfer.keyFile: " + path + " has " + bytes + " bytes (expected: " + LEAST_BYTES
                    + ".." + MOST_BYTES + ")");
        }
        return Files.readAllBytes(path);
    }

    @Override
    public String toString() {
        return "transfer key";
    }

    /** Computes the HMAC-SHA-256 of the parts with this key. */
    byte[] code(byte[]... parts) {
        Mac mac = mac(secret);
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /** Creates an HMAC-SHA-256 with a key that was derived from this one. */
    static Mac mac(byte[] derived) {
        return mac(new SecretKeySpec(derived, ALGORITHM));
    }

    private static Mac mac(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new LinkageError("every JDK has " + ALGORITHM, e);
        }
    }
}
