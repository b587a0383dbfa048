// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * Runs an experiment: measures its cases in turn, round by round, shows the progress, judges the claims, and writes the
 * report after each case, so that a run that ends early leaves one too.
 *
 * <p>Confined: the main thread.
 */
public final class ExperimentRunner {
    private final CommandContext context;
    private final RunReport report;
    private final Results results = new Results();

    private ExperimentRunner(CommandContext context, RunReport report) {
        this.context = context;
        this.report = report;
    }

    /**
     * Creates the folder of the report.
     *
     * @param name of the report, a word
     * @param settings the run's settings, by name
     */
    public static ExperimentRunner begin(CommandContext context, String name, SortedMap<String, String> settings)
            throws IOException {
        return new ExperimentRunner(context, RunReport.begin(context, name, settings));
    }

    /** Returns the folder of the report, where the logs of servers belong too. */
    public Path folder() {
        return report.folder();
    }

    /** Returns what was measured so far. */
    public Results results() {
        return results;
    }

    /**
     * Measures all cases of all rounds, and ends the run.
     *
     * @return the exit code of the command
     */
    public <C> int run(Experiment<C> experiment, int rounds)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        measure(experiment, rounds);
        return finish(experiment);
    }

    /** Measures all cases of all rounds. */
    public <C> void measure(Experiment<C> experiment, int rounds)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            for (C each : experiment.cases(round)) {
                measure(experiment, each, round, rounds);
            }
        }
    }

    /** Measures one case once. */
    public <C> void measure(Experiment<C> experiment, C what, int round, int rounds)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        List<Measure> measures = experiment.measure(what, round);
        for (Measure each : measures) {
            results.add(each);
            report.add(each);
        }
        report.write();
        for (String line : experiment.line(what, measures).split("\n", -1)) {
            context.line(format("round %d of %d: %s", round, rounds, line));
        }
    }

    /** Judges the claims, and shows and writes all. */
    public int finish(Experiment<?> experiment) throws IOException {
        experiment.claims(results).forEach(report::add);
        experiment.draw(results, report);
        return report.finish(experiment.tables(results, report), experiment.wrong(results));
    }
}
