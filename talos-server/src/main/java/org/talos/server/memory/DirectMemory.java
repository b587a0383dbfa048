// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * The JVM's memory for buffers outside of the heap.
 *
 * <p>Thread-safe.
 */
public final class DirectMemory {
    private DirectMemory() {}

    /**
     * Returns the most bytes that the JVM allocates, {@code -XX:MaxDirectMemorySize}; without it, those of the heap.
     */
    public static long most() {
        HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
        return set == 0 ? Runtime.getRuntime().maxMemory() : set;
    }

    /**
     * Returns a supplier of the number of bytes in direct buffers, including those that wait for garbage collection.
     */
    public static LongSupplier used() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow()::getMemoryUsed;
    }
}
