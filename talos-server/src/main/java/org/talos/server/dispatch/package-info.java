/**
 * The executor: which worker runs which task, in what order, and until when. Has no Talos types. Entry type:
 * {@link org.talos.server.dispatch.KeyAffinityExecutor}; its policy without threads: WorkerQueues.
 */
@NullMarked
package org.talos.server.dispatch;

import org.jspecify.annotations.NullMarked;
