// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.List;
import java.util.Set;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import org.talos.common.Release;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine;

/**
 * The root of the {@code talos} command, which has the client's commands and can have those of other modules.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "talos",
        description = "A partitioned message queue spoken to over HTTP.",
        versionProvider = Talos.Version.class,
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
    private static final List<String> NAMES = List.of("topic", "put", "get", "group", "user", "quota");
    private static final Set<String> VERSION = Set.of("--version", "-V");

    private Talos() {}

    /** What {@code --version} prints. Immutable. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"talos " + Release.version()};
        }
    }

    /** The command without any below it. */
    public static CommandLine root() {
        return Commands.prepared(new Talos());
    }

    /** The client's commands; others can be added. */
    public static CommandLine commandLine(Surroundings surroundings) {
        CommandLine root = root();
        for (String name : NAMES) {
            root.addSubcommand(command(name, surroundings));
        }
        return root.addSubcommand(new HelpCommand())
                .addSubcommand(Commands.prepared(new CompletionCommand(surroundings)));
    }

    /**
     * As much of it as these arguments need: what they name first, or everything if that is none of the client's
     * commands. Reading the annotations of all commands takes longer than most of them run.
     */
    public static CommandLine commandLine(Surroundings surroundings, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (NAMES.contains(first)) {
            return root().addSubcommand(command(first, surroundings));
        }
        return VERSION.contains(first) ? root() : commandLine(surroundings);
    }

    private static CommandLine command(String name, Surroundings surroundings) {
        return Commands.prepared(
                switch (name) {
                    case "topic" -> new TopicCommand(surroundings);
                    case "put" -> new PutCommand(surroundings);
                    case "get" -> new GetCommand(surroundings);
                    case "group" -> new GroupCommand(surroundings);
                    case "user" -> new UserCommand(surroundings);
                    case "quota" -> new QuotaCommand(surroundings);
                    default -> throw new IllegalArgumentException(name);
                });
    }

    /** The client's commands alone, without a server. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess(), arguments).execute(arguments));
    }
}
