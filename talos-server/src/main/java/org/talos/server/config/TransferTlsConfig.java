// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.notBlank;

/**
 * Mutual TLS between servers: {@code transfer.tls}. Immutable.
 *
 * @param mode whether connections of other servers may or must have it
 * @param certificateFile this server's certificate and the intermediate ones up to the trusted one, PEM
 * @param keyFile the certificate's private key, PEM of PKCS #8
 * @param trustedFile certificates of the authorities whose certificates other servers have, PEM
 * @param verifyHostName whether a server that is connected to must have a certificate for its advertised host
 * @param allowedNames names of which other servers' certificates must have one, with commas; empty means any
 */
public record TransferTlsConfig(
        TlsMode mode,
        String certificateFile,
        String keyFile,
        String trustedFile,
        boolean verifyHostName,
        String allowedNames) {
    /** Checks that the files are named if they are needed. */
    public TransferTlsConfig {
        if (mode != TlsMode.NONE) {
            notBlank("transfer.tls.certificateFile", certificateFile);
            notBlank("transfer.tls.keyFile", keyFile);
            notBlank("transfer.tls.trustedFile", trustedFile);
        }
    }

    /** Use of TLS between servers: {@code transfer.tls.mode}. */
    public enum TlsMode {
        /** No. Not called off, which YAML may read as false. */
        NONE,
        /**
         * Accepts servers with and without TLS, and uses TLS with servers that require it. For switching a running
         * cluster over.
         */
        ACCEPT,
        /** They must. */
        REQUIRE
    }
}
