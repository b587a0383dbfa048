// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that all TLS ports share: the allowed cipher suites, the key store of {@code http.tls}, reading changed
 * files again, and warnings about certificates that end. Entry: {@link org.talos.server.tls.CipherSuites},
 * {@link org.talos.server.tls.KeyStoreFile}, {@link org.talos.server.tls.FileReloader},
 * {@link org.talos.server.tls.CertificateEnd}. No threads of its own.
 */
@NullMarked
package org.talos.server.tls;

import org.jspecify.annotations.NullMarked;
