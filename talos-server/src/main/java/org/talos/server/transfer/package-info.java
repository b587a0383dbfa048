// SPDX-License-Identifier: Apache-2.0
/**
 * Requests that reached a server which does not serve their partition: both ends of what servers ask each other
 * implement or call {@link org.talos.server.partition.serving.PartitionRequests}.
 */
@NullMarked
package org.talos.server.transfer;

import org.jspecify.annotations.NullMarked;
