// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that simulations share: threads as steps of one ({@link org.talos.server.simulation.Scheduler}), rows in
 * memory, and the promises of a log. All of it is confined to the simulation's thread.
 */
@NullMarked
package org.talos.server.simulation;

import org.jspecify.annotations.NullMarked;
