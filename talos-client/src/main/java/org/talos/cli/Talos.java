// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

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
        return prepared(new Talos())
                .addSubcommand(prepared(new TopicCommand(surroundings)))
                .addSubcommand(prepared(new PutCommand(surroundings)))
                .addSubcommand(prepared(new GetCommand(surroundings)))
                .addSubcommand(prepared(new GroupCommand(surroundings)))
                .addSubcommand(prepared(new UserCommand(surroundings)))
                .addSubcommand(prepared(new QuotaCommand(surroundings)))
                .addSubcommand(new HelpCommand())
                .addSubcommand(prepared(new CompletionCommand(surroundings)));
    }

    /** A command that tells of its failures as all of them do. */
    public static CommandLine prepared(Object command) {
        ErrorLine errors = new ErrorLine();
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(errors)
                .setParameterExceptionHandler(errors);
    }

    /** The client's commands alone, without a server. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess()).execute(arguments));
    }
}
