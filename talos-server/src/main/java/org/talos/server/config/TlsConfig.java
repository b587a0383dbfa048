// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/**
 * TLS of the front end: {@code http.tls}. An empty key store means none. Immutable; {@code toString} masks the
 * password.
 *
 * @param keyStore path of a PKCS12 key store, or empty
 * @param keyStorePassword its password, best given by the environment
 */
public record TlsConfig(String keyStore, String keyStorePassword) {
    /** Returns whether TLS is on. */
    public boolean enabled() {
        return !keyStore.isEmpty();
    }

    @Override
    public String toString() {
        return "TlsConfig[keyStore=" + keyStore + ", keyStorePassword=***]";
    }
}
