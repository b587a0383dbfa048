// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

/**
 * The machine's capacity for one kind of request, and the number of threads that would reach it if each ran a request
 * from begin to end. With RT the response time and CPU the processor time of a request, {@code bestThreads = RT / CPU ×
 * processors × utilisation} and {@code maxPerSecond = processors × utilisation / CPU}.
 *
 * <p>Immutable.
 *
 * @param cpuSeconds processor time of a request
 * @param waitSeconds the rest of its response time: storage, queues, the client
 */
record Capacity(double cpuSeconds, double waitSeconds, double bestThreads, double maxPerSecond) {
    /** Not measured yet. */
    static final Capacity UNKNOWN = new Capacity(0, 0, 0, 0);

    /**
     * Computes the capacity.
     *
     * @param utilisation intended utilisation of the processors, 0 to 1
     */
    static Capacity of(double responseSeconds, double cpuSeconds, int processors, double utilisation) {
        if (cpuSeconds <= 0) {
            return UNKNOWN;
        }
        double response = Math.max(responseSeconds, cpuSeconds);
        return new Capacity(
                cpuSeconds,
                response - cpuSeconds,
                response / cpuSeconds * processors * utilisation,
                processors * utilisation / cpuSeconds);
    }
}
