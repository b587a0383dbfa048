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
 * Restores a backup to a data directory that does not exist.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "restore",
        description = "Copy a backup to where a server expects its data directory, and read all messages of the "
                + "copy. Nothing is overwritten: a directory that is there has to be moved away first.",
        mixinStandardHelpOptions = true)
public final class RestoreCommand implements Callable<Integer> {
    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--from", paramLabel = "DIR", required = true, description = "The backup; it stays as it is")
    private Path from = Path.of("");

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The data directory to be. Default: that of a server here (TALOS_DATADIRECTORY, data/)")
    private Optional<Path> data = Optional.empty();

    @Mixin
    private Output output = new Output();

    /** Creates the command. */
    public RestoreCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        return new CopyRun(context, output, spec.commandLine().getErr(), spec.name())
                .run(from, data.orElse(context.dataDirectory()));
    }
}
