// SPDX-License-Identifier: Apache-2.0
/**
 * The port on which other servers ask. Entry type: {@link org.talos.server.transfer.server.TransferServer}. Netty's
 * event loops move bytes; no loop waits.
 */
@NullMarked
package org.talos.server.transfer.server;

import org.jspecify.annotations.NullMarked;
