// SPDX-License-Identifier: Apache-2.0
/**
 * The memory that clients make the server use: its users, its limits, and lists of buffers. Start with
 * {@link org.talos.server.memory.MemoryBudget}. Uses no part.
 */
@NullMarked
package org.talos.server.memory;

import org.jspecify.annotations.NullMarked;
