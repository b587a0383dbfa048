// SPDX-License-Identifier: Apache-2.0
/**
 * A load as hostile as one user's rights allow, that of a client without a key, and what another user feels of it:
 * {@link org.talos.bench.hostile.HostileCommand}. The load is a process of its own
 * ({@link org.talos.bench.hostile.HostileProcess}), a thread for each attacker.
 */
@NullMarked
package org.talos.bench.hostile;

import org.jspecify.annotations.NullMarked;
