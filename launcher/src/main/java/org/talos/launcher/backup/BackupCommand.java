// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.backup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Copies the data directory of a server that does not run.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "backup",
        description = "Copy the data directory of a server that does not run to a new directory, and read all "
                + "messages of the copy. It has the keys of all users, and is for its user alone.",
        mixinStandardHelpOptions = true)
public final class BackupCommand implements Callable<Integer> {
    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--to", paramLabel = "DIR", required = true, description = "Where to; must not be there, or empty")
    private Path to = Path.of("");

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The data directory. Default: that of a server here (TALOS_DATADIRECTORY, data/)")
    private Optional<Path> data = Optional.empty();

    @Mixin
    private Output output = new Output();

    /** Creates the command. */
    public BackupCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        return new CopyRun(context, output, spec.commandLine().getErr(), spec.name())
                .run(data.orElse(context.dataDirectory()), to);
    }
}
