// SPDX-License-Identifier: Apache-2.0
/**
 * What calls and streams have in common below HTTP: {@link org.talos.client.transport.socket.Dialer}, which connects,
 * {@link org.talos.client.transport.socket.LentBuffers} for their bytes, and
 * {@link org.talos.client.transport.socket.LastingFault}, which tells failures that no repetition fixes. Not for
 * programs. No threads of its own.
 */
@NullMarked
package org.talos.client.transport.socket;

import org.jspecify.annotations.NullMarked;
