// SPDX-License-Identifier: Apache-2.0
/**
 * TLS between servers: its files, which are read again when they change, and the checks of both ends' certificates.
 * Entry: {@link org.talos.server.transfer.tls.TransferTls}. Its one thread reads files, and signs for the transfer
 * port.
 */
@NullMarked
package org.talos.server.transfer.tls;

import org.jspecify.annotations.NullMarked;
