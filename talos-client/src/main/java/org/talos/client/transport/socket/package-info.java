// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that calls and streams have in common below HTTP: {@link org.talos.client.transport.socket.Wires} opens
 * connections, {@link org.talos.client.transport.socket.Wire}s, with or without TLS and proxies;
 * {@link org.talos.client.transport.socket.Dialer} connects for it, and
 * {@link org.talos.client.transport.socket.LentBuffers} has room for their bytes.
 * {@link org.talos.client.transport.socket.LastingFault} tells failures that no repetition fixes. Not for programs. No
 * threads of its own.
 */
@NullMarked
package org.talos.client.transport.socket;

import org.jspecify.annotations.NullMarked;
