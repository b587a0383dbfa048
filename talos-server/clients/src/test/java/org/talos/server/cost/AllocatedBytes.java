// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Bytes of heap that the threads of a server have allocated, by thread. Those that were there before it, the thread
 * that asks, and those that work by the clock and for no request are left out.
 *
 * <p>Confined: the test.
 */
final class AllocatedBytes {
    /** They run whether there are requests or not: the slower the machine, the more of them falls on each request. */
    private static final List<String> BY_THE_CLOCK =
            List.of("talos-refresh-", "talos-health-", "talos-upkeep-", "talos-timer-");

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Set<Long> before =
            Arrays.stream(THREADS.getAllThreadIds()).boxed().collect(Collectors.toSet());

    /** Bytes since its start of each thread that is alive, by name and number. */
    Map<String, Long> now() {
        long[] ids = Arrays.stream(THREADS.getAllThreadIds())
                .filter(id ->
                        !before.contains(id) && id != Thread.currentThread().getId())
                .toArray();
        long[] bytes = THREADS.getThreadAllocatedBytes(ids);
        var infos = THREADS.getThreadInfo(ids);
        Map<String, Long> all = new TreeMap<>();
        for (int i = 0; i < ids.length; i++) {
            String name = infos[i] == null ? "" : infos[i].getThreadName();
            if (!name.isEmpty() && BY_THE_CLOCK.stream().noneMatch(name::startsWith)) {
                all.put(name + " " + ids[i], bytes[i]);
            }
        }
        return all;
    }
}
