// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.util.List;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what one user's puts take beside each of several loads of another user. Confined: the main thread. */
@Command(
        name = "neighbors",
        description = "Two users of one server: one puts at a fixed rate, first alone, then beside each load of the "
                + "other in turn: many streams of small puts, and requests over HTTP/2 that are reset. Compares the "
                + "first user's P99 beside each load with the P99 alone.")
public final class NeighborsCommand extends ExperimentCommand {
    @Option(names = "--rate", description = "Puts a second of the good user. Default: 200")
    private int rate = 200;

    @Option(names = "--size", description = "Bytes of the good user's messages. Default: 10240")
    private int size = 10_240;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "LOAD",
            description = "These loads only: ${COMPLETION-CANDIDATES}")
    private List<Neighbor> only = List.of(Neighbor.values());

    public NeighborsCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .seconds("Measured of each case, 1 to 3600", 20, 20)
                        .warmUp("Seconds before each case is measured, 0 to 3600", 10, 10)
                        .data("Where the server keeps data"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        NeighborsSettings settings = new NeighborsSettings(
                only,
                options().seconds(),
                options().warmUp(),
                inRange("--rate", rate, 1, 100_000),
                inRange("--size", size, 1, 1 << 20),
                work());
        ExperimentRunner run = ExperimentRunner.begin(context(), "neighbors", settings.described());
        try (NeighborsExperiment experiment = NeighborsExperiment.start(settings, run.folder())) {
            return run.run(experiment, 1);
        }
    }
}
