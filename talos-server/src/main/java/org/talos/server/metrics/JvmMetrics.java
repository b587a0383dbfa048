// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.talos.common.Release;

/** The metrics of the JVM, and the version of Talos that it runs. Immutable. */
public final class JvmMetrics {
    private static final double MILLIS = 1e3;

    private JvmMetrics() {}

    /** Registers the metrics. */
    public static void add(Metrics metrics) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        LongSupplier used = () -> memory.getHeapMemoryUsage().getUsed();
        LongSupplier most = () -> memory.getHeapMemoryUsage().getMax();
        LongSupplier threads = ManagementFactory.getThreadMXBean()::getThreadCount;
        DoubleSupplier uptime = () -> ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS;
        LongSupplier one = () -> 1;
        String version = "version=\"" + Release.version() + "\"";
        metrics.gauge("talos_build_info", version, "Always 1; the label says which version runs.", one);
        metrics.gauge("talos_jvm_heap_used_bytes", "", "Heap in use.", used);
        metrics.gauge("talos_jvm_heap_max_bytes", "", "Heap at most.", most);
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                LongSupplier direct = pool::getMemoryUsed;
                metrics.gauge("talos_jvm_direct_bytes", "", "Buffers outside of the heap.", direct);
            }
        }
        metrics.gauge("talos_jvm_threads", "", "Live threads.", threads);
        metrics.gauge("talos_jvm_uptime_seconds", "", "Since the JVM's start.", uptime);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            String labels = "collector=\"" + collector.getName() + "\"";
            LongSupplier collections = collector::getCollectionCount;
            DoubleSupplier time = () -> collector.getCollectionTime() / MILLIS;
            metrics.gauge("talos_jvm_gc_collections", labels, "Collections since the start.", collections);
            metrics.gauge("talos_jvm_gc_seconds", labels, "Time of collections since the start.", time);
        }
    }
}
