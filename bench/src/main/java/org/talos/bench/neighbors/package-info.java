// SPDX-License-Identifier: Apache-2.0
/**
 * Measures one user's puts beside a neighbor who loads the server within the limits:
 * {@link org.talos.bench.neighbors.NeighborsCommand}. The neighbor is a process of its own
 * ({@link org.talos.bench.neighbors.NeighborProcess}).
 */
@NullMarked
package org.talos.bench.neighbors;

import org.jspecify.annotations.NullMarked;
