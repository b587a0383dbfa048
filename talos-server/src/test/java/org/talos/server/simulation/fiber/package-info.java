// SPDX-License-Identifier: Apache-2.0
/**
 * Steps of simulated machines that can suspend anywhere, each on a thread of its own, of which one runs at a time.
 * Entry: {@link org.talos.server.simulation.fiber.Fibers}.
 */
@NullMarked
package org.talos.server.simulation.fiber;

import org.jspecify.annotations.NullMarked;
