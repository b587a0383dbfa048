// SPDX-License-Identifier: Apache-2.0
/** The client of NATS under a load: {@link org.talos.bench.nats.NatsPeer}. Its server is a program of its own. */
@NullMarked
package org.talos.bench.nats;

import org.jspecify.annotations.NullMarked;
