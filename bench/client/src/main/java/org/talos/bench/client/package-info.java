// SPDX-License-Identifier: Apache-2.0
/**
 * The load on a server by a client library, in a process of its own, the same for each library:
 * {@link org.talos.bench.client.ClientLoad}. Needs nothing of Talos or Kafka.
 */
@NullMarked
package org.talos.bench.client;

import org.jspecify.annotations.NullMarked;
