// SPDX-License-Identifier: Apache-2.0
/**
 * The transfer port, which answers other servers' requests. Entry type:
 * {@link org.talos.server.transfer.server.TransferServer}. Netty's event loops read and write; they never block.
 */
@NullMarked
package org.talos.server.transfer.server;

import org.jspecify.annotations.NullMarked;
