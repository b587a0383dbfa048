// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.talos.client.TalosClientException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The root of the command line. Exit codes: 0 done, 1 failed, 2 wrong usage. Confined: the main thread. */
@Command(
        name = "talos",
        description = "A partitioned message queue over HTTP.",
        mixinStandardHelpOptions = true,
        version = "talos 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            TopicCommand.class,
            PutCommand.class,
            GetCommand.class,
            UserCommand.class,
            AutoComplete.GenerateCompletion.class,
            HelpCommand.class
        })
public final class TalosCommand implements Runnable {
    private static final int FAILED = 1;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    /** The command line, to which a program may add commands of its own. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new TalosCommand());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((thrown, command, parsed) -> {
            String message = thrown instanceof TalosClientException || thrown instanceof CommandFailure
                    ? thrown.getMessage()
                    : thrown.toString();
            command.getErr().println("talos: " + message);
            return FAILED;
        });
        return line;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Which command? Try: talos help");
    }
}
