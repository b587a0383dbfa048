// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.time.Duration;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.Window;
import org.talos.launcher.local.SpawnedServer;

/**
 * Measures what the measured time takes of the processors at both ends, and of the server's compilers.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
final class CostWindow implements Window {
    private static final double NANOS = 1e9;

    private final SpawnedServer server;
    private final CompileTime compilers;
    private final long beganNanos = System.nanoTime();
    private double serverSeconds;
    private double clientSeconds;
    private double compileSeconds;
    private double warmUpSeconds;

    CostWindow(SpawnedServer server, CompileTime compilers) {
        this.server = server;
        this.compilers = compilers;
    }

    @Override
    public void opened() {
        warmUpSeconds = (System.nanoTime() - beganNanos) / NANOS;
        compileSeconds = -compilers.seconds().orElse(Double.NaN);
        serverSeconds = -seconds(server.cpu());
        clientSeconds = -ownSeconds();
    }

    @Override
    public void closed() {
        serverSeconds += seconds(server.cpu());
        clientSeconds += ownSeconds();
        compileSeconds += compilers.seconds().orElse(Double.NaN);
    }

    FloorFigures.Costs costs() {
        return new FloorFigures.Costs(serverSeconds, clientSeconds, compileSeconds, warmUpSeconds);
    }

    private static double ownSeconds() {
        return seconds(ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }
}
