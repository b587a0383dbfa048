// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.report.Measure;

/**
 * The figures of one library in one case and round. Immutable, but for the histograms.
 *
 * @param phases the puts and the gets
 */
record SdkFigures(ClientLibrary library, SdkCase what, int round, List<LoadPhase> phases) {
    private static final double NANOS = 1e9;

    SdkFigures {
        phases = List.copyOf(phases);
    }

    LoadPhase phase(String operation) {
        return phases.stream()
                .filter(each -> each.operation().equals(operation))
                .findAny()
                .orElseThrow();
    }

    static double perSecond(LoadPhase phase) {
        return phase.latency().getTotalCount() / seconds(phase.took());
    }

    /** Processor seconds of client and server for 1,000 messages. */
    static double cpuPerThousand(LoadPhase phase) {
        return perThousand(phase, phase.clientCpu().plus(phase.serverCpu()));
    }

    private static double perThousand(LoadPhase phase, Duration of) {
        return seconds(of) * 1_000 / phase.latency().getTotalCount();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }

    /** For the report. */
    List<Measure> measures() {
        return phases.stream().map(this::measure).toList();
    }

    private Measure measure(LoadPhase phase) {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("client CPU s/1000", perThousand(phase, phase.clientCpu()));
        figures.put("server CPU s/1000", perThousand(phase, phase.serverCpu()));
        return new Measure(
                library.label() + ", " + what.label(),
                round,
                phase.operation(),
                phase.latency(),
                seconds(phase.took()),
                phase.latency().getTotalCount(),
                0,
                figures);
    }
}
