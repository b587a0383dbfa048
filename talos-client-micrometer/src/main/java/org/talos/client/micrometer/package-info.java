// SPDX-License-Identifier: Apache-2.0
/**
 * Micrometer meters for the Java client: {@link org.talos.client.micrometer.TalosConsumerMetrics} and
 * {@link org.talos.client.micrometer.TalosProducerMetrics}, each for one consumer or producer. They read its snapshots.
 */
@NullMarked
package org.talos.client.micrometer;

import org.jspecify.annotations.NullMarked;
