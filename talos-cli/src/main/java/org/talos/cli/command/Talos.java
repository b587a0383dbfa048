// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import org.talos.common.Release;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;

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
    private static final Set<String> VERSION = Set.of("--version", "-V");

    private Talos() {}

    /** What {@code --version} prints. Immutable. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"talos " + Release.version()};
        }
    }

    /** The client's commands by name; each is made when it is called for, as most invocations need one of them. */
    private static Map<String, Supplier<CommandLine>> commands(Surroundings surroundings) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("topic", () -> Commands.prepared(new TopicCommand(surroundings)));
        commands.put("put", () -> Commands.prepared(new PutCommand(surroundings)));
        commands.put("get", () -> Commands.prepared(new GetCommand(surroundings)));
        commands.put("group", () -> Commands.prepared(new GroupCommand(surroundings)));
        commands.put("user", () -> Commands.prepared(new UserCommand(surroundings)));
        commands.put("quota", () -> Commands.prepared(new QuotaCommand(surroundings)));
        return commands;
    }

    /** The root with all of the client's commands. */
    public static CommandLine commandLine(Surroundings surroundings) {
        return commandLine(surroundings, Map.of());
    }

    /**
     * The root with the command that the first argument names; with all of them, help and completion if it names none.
     *
     * @param more commands of other modules, by name
     */
    public static CommandLine commandLine(
            Surroundings surroundings, Map<String, Supplier<CommandLine>> more, String... arguments) {
        Map<String, Supplier<CommandLine>> commands = commands(surroundings);
        commands.putAll(more);
        CommandLine root = Commands.prepared(new Talos());
        Supplier<CommandLine> named = arguments.length == 0 ? null : commands.get(arguments[0]);
        if (named != null) {
            return root.addSubcommand(arguments[0], named.get());
        }
        if (arguments.length == 1 && VERSION.contains(arguments[0])) {
            return root;
        }
        commands.forEach((name, command) -> root.addSubcommand(name, command.get()));
        return root.addSubcommand(new HelpCommand())
                .addSubcommand(Commands.prepared(new CompletionCommand(surroundings)));
    }

    /** Runs a command of the client and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess(), Map.of(), arguments).execute(arguments));
    }
}
