// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.BitSet;
import java.util.function.LongSupplier;

/** What one pool of the executor measures. Thread-safe. */
public final class DispatchMetrics {
    private final Metrics metrics;
    private final String prefix;
    private final Histogram queueWait;
    private final Histogram run;
    private final Histogram cpu;
    private final Histogram batch;
    private final Counter refused;
    private final Counter expired;
    private final Counter failed;
    private final BitSet ran = new BitSet(); // guarded by itself

    /** The metrics of a pool; its name is one of the server's own. */
    public DispatchMetrics(Metrics metrics, String pool) {
        this.metrics = metrics;
        prefix = "talos_dispatch_" + pool + "_";
        queueWait = metrics.histogram(prefix + "queue_wait_nanos");
        run = metrics.histogram(prefix + "run_nanos");
        cpu = metrics.histogram(prefix + "cpu_nanos");
        batch = metrics.histogram(prefix + "batch_tasks");
        refused = metrics.counter(prefix + "refused_total");
        expired = metrics.counter(prefix + "expired_total");
        failed = metrics.counter(prefix + "failed_total");
        metrics.gauge(prefix + "distinct_workers", this::distinctWorkers);
    }

    /** Says where the numbers of now are read. */
    public void watch(LongSupplier waiting, LongSupplier busyWorkers) {
        metrics.gauge(prefix + "waiting", waiting);
        metrics.gauge(prefix + "busy_workers", busyWorkers);
    }

    /** A task has been taken from its queue. */
    public void started(long waitedNanos) {
        queueWait.update(waitedNanos);
    }

    /** A batch has run on a worker. */
    public void ran(int worker, int tasks, long nanos) {
        batch.update(tasks);
        run.update(nanos);
        synchronized (ran) {
            ran.set(worker);
        }
    }

    /** What a batch took of a processor; told for some batches only, as asking for it is not free. */
    public void usedCpu(long nanos) {
        cpu.update(nanos);
    }

    /** A task was not taken in. */
    public void refused() {
        refused.inc();
    }

    /** A task's deadline passed before it ran. */
    public void expired() {
        expired.inc();
    }

    /** A batch ended with an exception that nobody caught. */
    public void failed() {
        failed.inc();
    }

    /** Workers that have run something since this was last asked. */
    private long distinctWorkers() {
        synchronized (ran) {
            long workers = ran.cardinality();
            ran.clear();
            return workers;
        }
    }
}
