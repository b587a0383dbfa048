// SPDX-License-Identifier: Apache-2.0
/**
 * The sender of a request: its network, whether it still waits, and which connection is evicted for another one. Uses
 * no other part.
 */
@NullMarked
package org.talos.server.runtime.client;

import org.jspecify.annotations.NullMarked;
