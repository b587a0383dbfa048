// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

/**
 * How many requests of a kind the machine can do, and with how many threads that would each run one from begin to end.
 * With a response time of CPU time and wait time, {@code best threads = RT / CPU × processors × utilisation} and
 * {@code most = processors × utilisation / CPU}: more threads only add switching.
 *
 * <p>Immutable.
 *
 * @param cpuSeconds of a request
 * @param waitSeconds of a request: for storage, in queues, for the client to come
 */
record Capacity(double cpuSeconds, double waitSeconds, double bestThreads, double maxPerSecond) {
    /** Of what nothing is known yet. */
    static final Capacity UNKNOWN = new Capacity(0, 0, 0, 0);

    /**
     * Works it out.
     *
     * @param utilisation of the processors that is aimed at, 0 to 1
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
