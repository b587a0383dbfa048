// SPDX-License-Identifier: Apache-2.0
/**
 * The memory that clients make the server use: who holds how much of it, and what is refused; and lists of buffers.
 * Start with {@link org.talos.server.memory.MemoryBudget}. Uses no part.
 */
@NullMarked
package org.talos.server.memory;

import org.jspecify.annotations.NullMarked;
