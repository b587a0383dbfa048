// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command that measures, with the options that several commands share. Confined: the main thread. */
@Command(mixinStandardHelpOptions = true)
public abstract class ExperimentCommand implements Callable<Integer> {
    private final CommandContext context;
    private final ExperimentOptions options;

    /** @param options those of this command that others have too */
    protected ExperimentCommand(CommandContext context, ExperimentOptions options) {
        this.context = context;
        this.options = options;
    }

    /** Returns the command line, with the options of the class and the shared ones. */
    public final CommandLine commandLine() {
        CommandLine line = Commands.prepared(this);
        options.addTo(line.getCommandSpec());
        return line;
    }

    protected final CommandContext context() {
        return context;
    }

    protected final ExperimentOptions options() {
        return options;
    }

    /** Shows a line. */
    protected final void line(String format, Object... values) throws IOException {
        context.line(String.format(Locale.ROOT, format, values));
    }

    /** Returns the folder for the data of servers. */
    protected final Path work() {
        return options.data().orElse(RunFolder.work(context.home()));
    }
}
