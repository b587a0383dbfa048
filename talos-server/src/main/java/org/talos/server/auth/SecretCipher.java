// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the users' secrets, which signatures need in the clear and the metadata must not have: AES-256-GCM with a
 * new nonce for each, bound to the key's id so that two rows cannot exchange theirs.
 *
 * <pre>
 * v1:base64( 12 bytes nonce, ciphertext, 16 bytes tag )
 * </pre>
 *
 * <p>Thread-safe.
 */
final class SecretCipher {
    static final int KEY_BYTES = 32;

    private static final String PREFIX = "v1:";
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;
    private final SecureRandom random;

    SecretCipher(byte[] key, SecureRandom random) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key: " + key.length + " bytes (expected: " + KEY_BYTES + ")");
        }
        this.key = new SecretKeySpec(key, "AES");
        this.random = random;
    }

    String encrypt(String keyId, String secret) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, keyId, nonce).doFinal(secret.getBytes(StandardCharsets.UTF_8));
            byte[] all = ByteBuffer.allocate(NONCE_BYTES + sealed.length)
                    .put(nonce)
                    .put(sealed)
                    .array();
            return PREFIX + Base64.getEncoder().encodeToString(all);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has " + ALGORITHM, e);
        }
    }

    /**
     * The secret in the clear.
     *
     * @throws GeneralSecurityException another key, another key id, a damaged text, or a version not known here
     */
    String decrypt(String keyId, String encrypted) throws GeneralSecurityException {
        if (!encrypted.startsWith(PREFIX)) {
            throw new GeneralSecurityException("the secret's version is not known (expected: " + PREFIX + ")");
        }
        byte[] all = decode(encrypted.substring(PREFIX.length()));
        if (all.length < NONCE_BYTES) {
            throw new GeneralSecurityException("the secret is cut");
        }
        byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
        byte[] clear = cipher(Cipher.DECRYPT_MODE, keyId, nonce).doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
        return new String(clear, StandardCharsets.UTF_8);
    }

    private static byte[] decode(String base64) throws GeneralSecurityException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("the secret is not base64", e);
        }
    }

    private Cipher cipher(int mode, String keyId, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(keyId.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
