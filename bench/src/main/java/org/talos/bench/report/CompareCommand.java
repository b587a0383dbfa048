// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Compares two report folders. Confined: the main thread. */
@Command(
        name = "compare",
        description = "What a second report has for each that the first has: ratios of medians, and how far the rounds "
                + "of both are apart.",
        mixinStandardHelpOptions = true)
public final class CompareCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "A", description = "Folder of the first report")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "B", description = "Folder of the second")
    private Path after = Path.of("");

    public CompareCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        for (String line : Comparison.of(before, after).lines()) {
            context.line(line);
        }
        return 0;
    }
}
