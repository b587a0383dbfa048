// SPDX-License-Identifier: Apache-2.0
/**
 * The load of threads that wait, in a process of its own, the same for each client library: each putting thread for the
 * acknowledgement of its message, each getting thread for the messages of its partition.
 * {@link org.talos.bench.synchronous.SynchronousLoad} runs it. Needs nothing of Talos or of who is measured beside it.
 */
@NullMarked
package org.talos.bench.synchronous;

import org.jspecify.annotations.NullMarked;
