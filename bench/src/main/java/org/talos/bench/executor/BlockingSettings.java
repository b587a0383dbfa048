// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of the benchmark of blocking handlers. Immutable.
 *
 * @param virtual whether the executor's workers are without threads of the kernel
 * @param inFlight requests of a connection
 * @param warmUp of each case
 * @param measured of each case in each round
 * @param processes of each case, measured in turn
 */
record BlockingSettings(
        List<HandlerModel> models,
        List<Integer> threads,
        boolean virtual,
        int connections,
        int inFlight,
        Duration warmUp,
        Duration measured,
        int processes,
        int rounds,
        BlockingDelays delays,
        List<String> serverOptions) {
    BlockingSettings {
        models = List.copyOf(models);
        threads = List.copyOf(threads);
        serverOptions = List.copyOf(serverOptions);
    }

    int lanes() {
        return connections * inFlight;
    }

    SortedMap<String, String> described() {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("models", models.toString());
        settings.put("threads", threads.toString());
        settings.put("executor's threads", virtual ? "virtual" : "platform");
        settings.put("connections", Integer.toString(connections));
        settings.put("in flight", inFlight + " on each connection, each with a key of its own");
        settings.put("warm-up ms", Long.toString(warmUp.toMillis()));
        settings.put("measured ms", Long.toString(measured.toMillis()));
        settings.put("processes", processes + " of each case, in turn");
        settings.put("rounds", Integer.toString(rounds));
        settings.put("delay mean us", Long.toString(micros(delays.mean())));
        settings.put("delay most us", Long.toString(micros(delays.most())));
        settings.put("seed", Long.toString(delays.seed()));
        settings.put("server options", serverOptions.toString());
        return settings;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
