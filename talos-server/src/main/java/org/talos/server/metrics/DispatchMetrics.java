// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.talos.server.metrics.histogram.BatchRecorder;
import org.talos.server.metrics.histogram.BatchWriters;
import org.talos.server.metrics.histogram.HdrReservoir;

/** The metrics of one pool of the executor. Thread-safe. */
public final class DispatchMetrics {
    private final Metrics metrics;
    private final String labels;
    private final BatchWriters writers;
    private final Histogram cpu;
    private final Counter refused;
    private final Counter expired;
    private final Counter failed;
    private final Queue<BatchMetrics> workers = new ConcurrentLinkedQueue<>();
    private final BatchMetrics callers;

    /** Registers the metrics of a pool; its name is one of the server's own. */
    public DispatchMetrics(Metrics metrics, String pool) {
        this.metrics = metrics;
        labels = "pool=\"" + pool + "\"";
        HdrReservoir queueWait = metrics.reservoir(
                "talos_dispatch_queue_wait_seconds",
                labels,
                Unit.SECONDS,
                "From a task's submission to its start, as read when its worker was free for it.");
        HdrReservoir run = metrics.reservoir(
                "talos_dispatch_run_seconds",
                labels,
                Unit.SECONDS,
                "A batch on its worker, from when it was free for it.");
        cpu = metrics.histogram(
                "talos_dispatch_cpu_seconds",
                labels,
                Unit.SECONDS,
                "Processor time of a batch; about one in 64 is measured.");
        HdrReservoir batch = metrics.reservoir("talos_dispatch_batch_tasks", labels, Unit.TASKS, "Tasks of a batch.");
        refused = metrics.counter("talos_dispatch_refused_total", labels, "Tasks that were refused.");
        expired = metrics.counter(
                "talos_dispatch_expired_total", labels, "Tasks whose deadline passed before their start.");
        failed = metrics.counter("talos_dispatch_failed_total", labels, "Batches that failed.");
        writers = new BatchWriters(queueWait, run, batch);
        callers = new BatchMetrics(BatchRecorder.to(queueWait::update, run::update, batch::update));
        metrics.gauge(
                "talos_dispatch_distinct_workers",
                labels,
                "Workers that have run a task since the last reading.",
                this::distinctWorkers);
    }

    /** Registers the gauges of waiting tasks and busy workers. */
    public void watch(LongSupplier waiting, LongSupplier busyWorkers) {
        metrics.gauge("talos_dispatch_waiting_tasks", labels, "Waiting tasks.", waiting);
        metrics.gauge("talos_dispatch_busy_workers", labels, "Workers that run a task.", busyWorkers);
    }

    /** Registers the gauge of the workers that there are. */
    public void watchWorkers(LongSupplier workers) {
        metrics.gauge("talos_dispatch_workers", labels, "Workers, whether they run a task or wait for one.", workers);
    }

    /** Returns the metrics of a further worker; each has its own, so that none waits for another's. */
    public BatchMetrics newWorker() {
        BatchMetrics worker = new BatchMetrics(writers.writer());
        workers.add(worker);
        return worker;
    }

    /** Returns the metrics of tasks that run on the threads that have brought them. */
    public BatchMetrics callers() {
        return callers;
    }

    /** Records the processor time of a batch; measured for some batches only, since reading it is not free. */
    public void usedCpu(long nanos) {
        cpu.update(nanos);
    }

    /** Counts a refused task. */
    public void refused() {
        refused.inc();
    }

    /** Counts a task whose deadline passed before its start. */
    public void expired() {
        expired.inc();
    }

    /** Counts a batch that ended with an uncaught exception. */
    public void failed() {
        failed.inc();
    }

    /** Number of workers that have run a task since the last reading. */
    private long distinctWorkers() {
        return workers.stream().filter(BatchMetrics::takeHasRun).count();
    }
}
