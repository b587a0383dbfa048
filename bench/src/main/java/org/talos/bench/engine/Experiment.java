// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.io.IOException;
import java.util.List;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * Declares what a command measures, and what follows from the measures. Implementations are confined to the main
 * thread.
 *
 * @param <C> one of the cases that are compared
 */
public interface Experiment<C> {
    /** Returns the cases of a round, in the order in which they are measured. */
    List<C> cases(int round);

    /** Measures a case once: a measure for each of its operations. */
    List<Measure> measure(C what, int round)
            throws IOException, TalosClientException, CommandException, InterruptedException;

    /** Returns the line that shows the progress, or several, without their beginning "round 1 of 3: ". */
    String line(C what, List<Measure> measured);

    /** Returns what is claimed of the cases that were measured. */
    default List<Claim> claims(Results results) {
        return List.of();
    }

    /** Draws the charts of the report. */
    default void draw(Results results, RunReport report) {}

    /** Returns the lines that are shown before the claims: by default the table of the report. */
    default List<String> tables(Results results, RunReport report) {
        return report.table();
    }

    /** Returns a line for each result that no server may cause, such as a lost message. */
    default List<String> wrong(Results results) {
        return List.of();
    }
}
