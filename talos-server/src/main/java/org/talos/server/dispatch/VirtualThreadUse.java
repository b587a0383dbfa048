// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * The JDK's view of virtual threads: the runnable ones. As many of them run as there are processors, each on its
 * carrier thread; the others wait for one. A virtual thread that pins its carrier thread while it reads a file counts
 * as running, since no other can use the carrier. Confined: one thread.
 */
final class VirtualThreadUse implements ProcessorUse {
    private final IntSupplier runnable;
    private final IntSupplier processors;
    private int samples;
    private long seen; // runnable ones, in all samples
    private long running; // of these, the running ones

    /**
     * @param runnable number of workers that run or could
     * @param processors number of virtual threads that can run at a time
     */
    VirtualThreadUse(IntSupplier runnable, IntSupplier processors) {
        this.runnable = runnable;
        this.processors = processors;
    }

    @Override
    public void sample() {
        int now = runnable.getAsInt();
        samples++;
        seen += now;
        running += Math.min(now, processors.getAsInt());
    }

    @Override
    public void begin() {
        samples = 0;
        seen = 0;
        running = 0;
    }

    @Override
    public Optional<Use> end(double nanos, int workers) {
        Optional<Use> use = samples == 0
                ? Optional.empty()
                : Optional.of(new Use((double) running / samples, (double) (seen - running) / samples));
        begin();
        return use;
    }
}
