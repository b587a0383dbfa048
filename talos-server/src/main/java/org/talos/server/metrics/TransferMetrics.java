// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What requests between servers measure. Thread-safe. */
public final class TransferMetrics {
    private final Metrics metrics;
    private final Map<String, Host> hosts = new ConcurrentHashMap<>();
    private final Histogram seconds;
    private final Counter failed;
    private final Histogram served;
    private final Counter refusedConnections;
    private final Counter refusedFrames;

    /** The metrics of both ends. */
    public TransferMetrics(Metrics metrics) {
        this.metrics = metrics;
        seconds = metrics.histogram(
                "talos_transfer_seconds", "", Unit.SECONDS, "A request to another server, failed or not.");
        failed = metrics.counter(
                "talos_transfer_failed_total", "", "Requests to other servers that failed, there or on their way.");
        served = metrics.histogram(
                "talos_transfer_served_seconds", "", Unit.SECONDS, "A request of another server, failed or not.");
        refusedConnections = metrics.counter(
                "talos_transfer_refused_connections_total",
                "",
                "Connections to the transfer port that had no right key or version.");
        refusedFrames = metrics.counter(
                "talos_transfer_refused_frames_total", "", "Requests of other servers for which there was no memory.");
    }

    /** Requests to one server. Thread-safe. */
    public final class Host {
        private final AtomicLong open = new AtomicLong();
        private final AtomicLong busy = new AtomicLong();

        private Host(String server) {
            String label = "server=\"" + server + "\"";
            metrics.gauge("talos_transfer_requests", label, "Requests to the server that are not answered.", open::get);
            metrics.gauge("talos_transfer_busy_threads", label, "Threads with a request to the server.", busy::get);
        }

        /** A request was made. */
        public void asked() {
            open.incrementAndGet();
        }

        /** It is answered, or never will be. */
        public void ended(long nanos, @Nullable Throwable error) {
            open.decrementAndGet();
            seconds.update(nanos);
            if (error != null) {
                failed.inc();
            }
        }

        /** A thread has begun with a request. */
        public void began() {
            busy.incrementAndGet();
        }

        /** A thread is done with it. */
        public void worked() {
            busy.decrementAndGet();
        }
    }

    /** Requests to the server of this name. */
    public Host host(String server) {
        return hosts.computeIfAbsent(server, Host::new);
    }

    /** A request of another server was answered. */
    public void served(long nanos) {
        served.update(nanos);
    }

    /** A connection was ended because it did not prove the key. */
    public void connectionRefused() {
        refusedConnections.inc();
    }

    /** A request was not read for want of memory. */
    public void frameRefused() {
        refusedFrames.inc();
    }
}
