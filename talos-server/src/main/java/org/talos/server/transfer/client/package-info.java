// SPDX-License-Identifier: Apache-2.0
/**
 * Sends requests to other servers. Entry type: {@link org.talos.server.transfer.client.Transfer}. Each request holds a
 * thread of {@code SenderPools} until it is answered; reads that wait for messages share one thread a server.
 */
@NullMarked
package org.talos.server.transfer.client;

import org.jspecify.annotations.NullMarked;
