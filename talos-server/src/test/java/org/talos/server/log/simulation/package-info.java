// SPDX-License-Identifier: Apache-2.0
/**
 * Logs over the real journal and store on a disk that loses what it may lose, in one thread: a seed decides what runs
 * next, what fails and when the power goes. Entry: {@link org.talos.server.log.simulation.LogSimulationTest}.
 */
@NullMarked
package org.talos.server.log.simulation;

import org.jspecify.annotations.NullMarked;
