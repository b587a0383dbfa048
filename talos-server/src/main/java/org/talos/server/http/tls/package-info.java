// SPDX-License-Identifier: Apache-2.0
/**
 * TLS of the front end. Entry: {@link org.talos.server.http.tls.FrontTls}, whose one thread reads the key store again
 * when it has changed.
 */
@NullMarked
package org.talos.server.http.tls;

import org.jspecify.annotations.NullMarked;
