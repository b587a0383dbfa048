// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The root of the {@code talos} command.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "talos",
        description = "A partitioned message queue spoken to over HTTP.",
        version = "talos 0.1.0",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed; one line on standard error says why",
            "2:wrong usage",
            "3:a topic, partition, group or quota that was named is not there",
            "4:no answer that says what became of it: it may have happened"
        })
public final class Talos {
    private Talos() {}

    /** The client's commands; others can be added. */
    public static CommandLine commandLine(Surroundings surroundings) {
        return Commands.prepared(new Talos())
                .addSubcommand(Commands.prepared(new TopicCommand(surroundings)))
                .addSubcommand(Commands.prepared(new PutCommand(surroundings)))
                .addSubcommand(Commands.prepared(new GetCommand(surroundings)))
                .addSubcommand(Commands.prepared(new GroupCommand(surroundings)))
                .addSubcommand(Commands.prepared(new UserCommand(surroundings)))
                .addSubcommand(Commands.prepared(new QuotaCommand(surroundings)))
                .addSubcommand(new HelpCommand())
                .addSubcommand(Commands.prepared(new CompletionCommand(surroundings)));
    }

    /** The client's commands alone, without a server. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess()).execute(arguments));
    }
}
