// SPDX-License-Identifier: Apache-2.0
/**
 * The signed Thrift calls over HTTP: one exchange reads a call, hands it to the services and writes the answer. Entry
 * type: {@link org.talos.server.http.thrift.ThriftHandler}. Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.thrift;

import org.jspecify.annotations.NullMarked;
