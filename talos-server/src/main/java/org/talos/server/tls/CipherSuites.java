// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tls;

import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * The cipher suites that a TLS port offers: those of TLS 1.3, and of TLS 1.2 only authenticated encryption (AEAD) with
 * forward secrecy. CBC suites have been broken again and again by the time that their checks take. Immutable.
 */
public final class CipherSuites {
    private static final Pattern ALLOWED = Pattern.compile(
            "TLS_(AES|CHACHA20)_.*|TLS_(ECDHE|DHE)_(ECDSA|RSA|DSS)_WITH_(.*_)?(GCM_|CCM|CHACHA20_POLY1305_).*");

    private CipherSuites() {}

    /** Returns the names of the allowed suites that the JDK supports, in its order. */
    public static List<String> allowed() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, null, null);
            return Stream.of(context.getDefaultSSLParameters().getCipherSuites())
                    .filter(name -> ALLOWED.matcher(name).matches())
                    .toList();
        } catch (NoSuchAlgorithmException | KeyManagementException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }
}
