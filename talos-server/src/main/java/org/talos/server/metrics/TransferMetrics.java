// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of requests between servers. Thread-safe. */
public final class TransferMetrics {
    private final Metrics metrics;
    private final Map<String, Host> hosts = new ConcurrentHashMap<>();
    private final Histogram seconds;
    private final Counter failed;
    private final Histogram served;
    private final Counter refusedConnections;
    private final Counter refusedFrames;

    /** Registers the metrics of both ends. */
    public TransferMetrics(Metrics metrics) {
        this.metrics = metrics;
        seconds = metrics.histogram(
                "talos_transfer_seconds", "", Unit.SECONDS, "A request to another server, failed or not.");
        failed = metrics.counter(
                "talos_transfer_failed_total", "", "Requests to other servers that failed, there or in flight.");
        served = metrics.histogram(
                "talos_transfer_served_seconds", "", Unit.SECONDS, "A request of another server, failed or not.");
        refusedConnections = metrics.counter(
                "talos_transfer_refused_connections_total",
                "",
                "Connections to the transfer port with a wrong key or version.");
        refusedFrames = metrics.counter(
                "talos_transfer_refused_frames_total", "", "Requests of other servers refused for lack of memory.");
    }

    /** Exports when the certificate that other servers see ends. */
    public void watch(LongSupplier certificateEnd) {
        metrics.gauge("talos_certificate_end_seconds", "of=\"servers\"", Metrics.CERTIFICATE_END, certificateEnd);
    }

    /** The metrics of requests to one server. Thread-safe. */
    public final class Host {
        private final AtomicLong open = new AtomicLong();
        private final AtomicLong busy = new AtomicLong();

        private Host(String server) {
            String label = "server=\"" + server + "\"";
            metrics.gauge("talos_transfer_requests", label, "Requests to the server in flight.", open::get);
            metrics.gauge("talos_transfer_busy_threads", label, "Threads that run a request to the server.", busy::get);
        }

        /** Records the beginning of a request. */
        public void asked() {
            open.incrementAndGet();
        }

        /** Records the end of a request, answered or failed. */
        public void ended(long nanos, @Nullable Throwable error) {
            open.decrementAndGet();
            seconds.update(nanos);
            if (error != null) {
                failed.inc();
            }
        }

        /** Records that a thread runs a request. */
        public void began() {
            busy.incrementAndGet();
        }

        /** Records that a thread has run a request. */
        public void worked() {
            busy.decrementAndGet();
        }
    }

    /** The metrics of requests to the server of this name. */
    public Host host(String server) {
        return hosts.computeIfAbsent(server, Host::new);
    }

    /** Records an answered request of another server. */
    public void served(long nanos) {
        served.update(nanos);
    }

    /** Counts a connection that did not prove the key. */
    public void connectionRefused() {
        refusedConnections.inc();
    }

    /** Counts a request refused for lack of memory. */
    public void frameRefused() {
        refusedFrames.inc();
    }
}
