// SPDX-License-Identifier: Apache-2.0
/**
 * TLS of the front end. Entry: {@link org.talos.server.http.tls.FrontTls}, which uses Jetty's scheduler and has no
 * threads of its own.
 */
@NullMarked
package org.talos.server.http.tls;

import org.jspecify.annotations.NullMarked;
