// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** What one pool of the executor measures. Thread-safe. */
public final class DispatchMetrics {
    private final Metrics metrics;
    private final String labels;
    private final Histogram queueWait;
    private final Histogram run;
    private final Histogram cpu;
    private final Histogram batch;
    private final Counter refused;
    private final Counter expired;
    private final Counter failed;
    private final Set<Integer> ran = ConcurrentHashMap.newKeySet();

    /** The metrics of a pool; its name is one of the server's own. */
    public DispatchMetrics(Metrics metrics, String pool) {
        this.metrics = metrics;
        labels = "pool=\"" + pool + "\"";
        queueWait = metrics.histogram(
                "talos_dispatch_queue_wait_seconds", labels, Unit.SECONDS, "From a task's submission to its start.");
        run = metrics.histogram("talos_dispatch_run_seconds", labels, Unit.SECONDS, "A batch on its worker.");
        cpu = metrics.histogram(
                "talos_dispatch_cpu_seconds",
                labels,
                Unit.SECONDS,
                "Processor time of a batch; every 16th is measured.");
        batch = metrics.histogram("talos_dispatch_batch_tasks", labels, Unit.TASKS, "Tasks that ran together.");
        refused = metrics.counter("talos_dispatch_refused_total", labels, "Tasks that were not taken in.");
        expired =
                metrics.counter("talos_dispatch_expired_total", labels, "Tasks whose deadline passed before they ran.");
        failed = metrics.counter("talos_dispatch_failed_total", labels, "Batches that ended with a fault.");
        metrics.gauge(
                "talos_dispatch_distinct_workers",
                labels,
                "Workers that have run something since this was last asked.",
                this::distinctWorkers);
    }

    /** Says where the numbers of now are read. */
    public void watch(LongSupplier waiting, LongSupplier busyWorkers) {
        metrics.gauge("talos_dispatch_waiting_tasks", labels, "Tasks that wait now.", waiting);
        metrics.gauge("talos_dispatch_busy_workers", labels, "Workers that run something now.", busyWorkers);
    }

    /** A task has been taken from its queue. */
    public void started(long waitedNanos) {
        queueWait.update(waitedNanos);
    }

    /** A batch has run on a worker. */
    public void ran(int worker, int tasks, long nanos) {
        batch.update(tasks);
        run.update(nanos);
        if (!ran.contains(worker)) { // reading is cheap for all workers at once, adding is not
            ran.add(worker);
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
        long workers = ran.size();
        ran.clear();
        return workers;
    }
}
