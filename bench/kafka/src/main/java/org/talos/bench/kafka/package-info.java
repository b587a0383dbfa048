// SPDX-License-Identifier: Apache-2.0
/**
 * Kafka's processes: {@link org.talos.bench.kafka.KafkaBroker} and, as its load,
 * {@link org.talos.bench.kafka.KafkaLoad}, or {@link org.talos.bench.kafka.KafkaPeer} where callers wait, or
 * {@link org.talos.bench.kafka.LeanKafkaPeer} without Kafka's client.
 */
@NullMarked
package org.talos.bench.kafka;

import org.jspecify.annotations.NullMarked;
