// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol of consumer groups as one reader speaks it: its calls, the topics that it reads, and the balance by
 * which members share partitions. Not for programs, which use {@code consumer} above it; begin with
 * {@link org.talos.client.consumer.group.GroupCalls}.
 */
@NullMarked
package org.talos.client.consumer.group;

import org.jspecify.annotations.NullMarked;
