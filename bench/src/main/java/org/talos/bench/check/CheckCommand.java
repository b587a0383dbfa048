// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.talos.bench.check.history.HistoryFile;
import org.talos.bench.check.verdict.Verdict;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Whether what clients saw can have been.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "check",
        description = "Look for what must not be in a history of what clients did and were told. Ends with 0 if there "
                + "is nothing, else with 1.",
        mixinStandardHelpOptions = true)
public final class CheckCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Option(names = "--history", paramLabel = "FILE", required = true, description = "A history as lines of JSON")
    private Path history = Path.of("");

    /** The command. */
    public CheckCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        Verdict verdict = Verdict.of(HistoryFile.read(history));
        for (String line : verdict.lines()) {
            surroundings.line(line);
        }
        return verdict.clean() ? 0 : 1;
    }
}
