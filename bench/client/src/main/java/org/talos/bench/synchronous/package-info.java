// SPDX-License-Identifier: Apache-2.0
/**
 * The load of threads that wait, in a process of its own: each putting thread for the acknowledgement of its message,
 * each getting thread for the messages of its partition. {@link org.talos.bench.synchronous.SynchronousLoad} runs it
 * through a client library, {@link org.talos.bench.synchronous.LeanLoad} runs the same by the server's protocol alone.
 * Needs nothing of Talos or of who is measured beside it.
 */
@NullMarked
package org.talos.bench.synchronous;

import org.jspecify.annotations.NullMarked;
