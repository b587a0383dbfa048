// SPDX-License-Identifier: Apache-2.0
/**
 * Requests that reached a server which does not serve their partition: what servers ask each other, both ends. Entry
 * type: {@link org.talos.server.transfer.PartitionRequests}.
 */
@NullMarked
package org.talos.server.transfer;

import org.jspecify.annotations.NullMarked;
