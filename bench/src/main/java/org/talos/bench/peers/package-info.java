// SPDX-License-Identifier: Apache-2.0
/**
 * Measures Talos beside Kafka, RocketMQ and NATS under the load of {@code bench floor}, each through its own client and
 * alternately in one run: {@link org.talos.bench.peers.PeersCommand}. Lean clients of all but NATS separate the cost of
 * these servers from that of their client libraries.
 */
@NullMarked
package org.talos.bench.peers;

import org.jspecify.annotations.NullMarked;
