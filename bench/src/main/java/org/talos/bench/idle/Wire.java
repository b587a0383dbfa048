// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;

/**
 * An open connection, which does not block. Confined: the loop's thread.
 *
 * @param socket for a selector
 * @param bytes of the transport on it: to read and to write
 */
record Wire(SocketChannel socket, ByteChannel bytes) {}
