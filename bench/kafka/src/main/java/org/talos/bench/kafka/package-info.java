// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka's two processes: {@link org.talos.bench.kafka.KafkaBroker} and, as its load,
 * {@link org.talos.bench.kafka.KafkaLoad}.
 */
@NullMarked
package org.talos.bench.kafka;

import org.jspecify.annotations.NullMarked;
