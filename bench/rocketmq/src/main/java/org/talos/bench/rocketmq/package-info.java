// SPDX-License-Identifier: Apache-2.0
/**
 * RocketMQ's two processes: {@link org.talos.bench.rocketmq.RocketMqServer} and, as its load,
 * {@link org.talos.bench.rocketmq.RocketMqPeer}, or {@link org.talos.bench.rocketmq.LeanRocketMqPeer} without
 * RocketMQ's client.
 */
@NullMarked
package org.talos.bench.rocketmq;

import org.jspecify.annotations.NullMarked;
