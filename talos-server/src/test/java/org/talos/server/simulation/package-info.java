// SPDX-License-Identifier: Apache-2.0
/**
 * What simulations share: threads as steps of one ({@link org.talos.server.simulation.Scheduler}), rows in memory, and
 * what a log must hold. All of it is confined to the simulation's thread.
 */
@NullMarked
package org.talos.server.simulation;

import org.jspecify.annotations.NullMarked;
