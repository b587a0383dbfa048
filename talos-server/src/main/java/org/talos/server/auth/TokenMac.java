// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The common part of all kinds of tokens: text with an HMAC under a user's secret. The name of the kind is part of the
 * signed text, so a token of one kind is never valid as another.
 *
 * <p>Immutable.
 */
final class TokenMac {
    private static final String HMAC = "HmacSHA256";
    /** The secret for unknown keys: compared with like any other, and never accepted. */
    private static final String NOBODYS_SECRET = "0123456789012345678901234567890123456789";

    private TokenMac() {}

    /** The token of a text. */
    static String token(String kind, String text, String secret) {
        return encoded(text.getBytes(StandardCharsets.UTF_8)) + "." + of(kind, text, secret);
    }

    /** The HMAC of a text, in base64 without padding that needs no encoding in a URL. */
    static String of(String kind, String text, String secret) {
        return encoded(hmac(kind, text, secret));
    }

    /**
     * The text of a token, and its HMAC. Immutable.
     *
     * @param text not to be believed before {@link #matches} says so
     */
    record Parts(String text, String mac) {
        /**
         * Returns whether the HMAC is right. Takes the same time if there is no secret.
         *
         * @param secret of the key that the token names, if there is such a key
         */
        boolean matches(String kind, Optional<String> secret) {
            String expected = of(kind, text, secret.orElse(NOBODYS_SECRET));
            boolean matches = MessageDigest.isEqual(
                    expected.getBytes(StandardCharsets.UTF_8), mac.getBytes(StandardCharsets.UTF_8));
            return matches && secret.isPresent();
        }
    }

    /** The parts of a token; empty if it is none, or longer than one of ours. */
    static Optional<Parts> parts(String token, int maxCharacters) {
        int dot = token.indexOf('.');
        if (dot < 0 || token.length() > maxCharacters) {
            return Optional.empty();
        }
        try {
            byte[] text = Base64.getUrlDecoder().decode(token.substring(0, dot));
            return Optional.of(new Parts(new String(text, StandardCharsets.UTF_8), token.substring(dot + 1)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] hmac(String kind, String text, String secret) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
            return mac.doFinal((kind + text).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has " + HMAC, e);
        }
    }
}
