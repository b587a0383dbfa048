// SPDX-License-Identifier: Apache-2.0
/**
 * The front end: Jetty's connectors and their limits, and the exchange that every request is. Entry types:
 * {@link org.talos.server.http.HttpPort}, then {@link org.talos.server.http.HttpExchange}, whose protocols are in
 * {@code thrift}, {@code rest}, and {@code console}. Jetty's threads; none waits for storage.
 */
@NullMarked
package org.talos.server.http;

import org.jspecify.annotations.NullMarked;
