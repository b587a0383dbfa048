// SPDX-License-Identifier: Apache-2.0
/**
 * The SDK's own producers and consumers on one clock, one thread at a time ({@link org.talos.client.simulation.Turns}),
 * against servers whose group calls are the real ones ({@link org.talos.client.simulation.ModelServers}).
 */
@NullMarked
package org.talos.client.simulation;

import org.jspecify.annotations.NullMarked;
