// SPDX-License-Identifier: Apache-2.0
/**
 * Putting messages: {@link org.talos.client.producer.TalosProducer} in the background,
 * {@link org.talos.client.producer.SimpleProducer} one put at a time,
 * {@link org.talos.client.producer.PipelinedProducer} batches without a gap.
 */
@NullMarked
package org.talos.client.producer;

import org.jspecify.annotations.NullMarked;
