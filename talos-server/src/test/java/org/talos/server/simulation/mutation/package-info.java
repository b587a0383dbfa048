// SPDX-License-Identifier: Apache-2.0
/**
 * Faults inserted into the code under test on purpose, to see that a simulation finds them. Entry:
 * {@link org.talos.server.simulation.mutation.Mutation}.
 */
@NullMarked
package org.talos.server.simulation.mutation;

import org.jspecify.annotations.NullMarked;
