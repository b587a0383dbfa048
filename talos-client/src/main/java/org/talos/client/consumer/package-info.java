// SPDX-License-Identifier: Apache-2.0
/**
 * Reading messages: {@link org.talos.client.consumer.TalosConsumer} as a member of a consumer group, with processors,
 * {@link org.talos.client.consumer.PollingConsumer} as one with a loop,
 * {@link org.talos.client.consumer.SimpleConsumer} from any offset of one partition.
 */
@NullMarked
package org.talos.client.consumer;

import org.jspecify.annotations.NullMarked;
