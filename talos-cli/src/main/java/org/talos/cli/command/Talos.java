// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import org.talos.cli.LostCharacters;
import org.talos.cli.completion.CompletionCommand;
import org.talos.cli.top.TopCommand;
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
            "1:failed; standard error says why, and what to do next",
            "2:wrong usage",
            "3:a topic, partition, group, user or quota that was named is missing",
            "4:no answer about the outcome: it may have happened",
            "5:a part was done, and certainly not the rest: do not repeat it, but continue from there"
        })
public final class Talos {
    private static final Set<String> VERSION = Set.of("--version", "-V");

    private Talos() {}

    /** The output of {@code --version}. Immutable. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"talos " + Release.version()};
        }
    }

    /**
     * Returns the client's commands by name; each is created on demand, because most invocations need only one of them.
     *
     * @param subcommand the only subcommand that is made; all are if a command has none of this name
     */
    private static Map<String, Supplier<CommandLine>> commands(
            CommandContext context, Map<String, Supplier<CommandLine>> more, String subcommand) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("topic", () -> Commands.prepared(new TopicCommand(context), subcommand));
        commands.put("put", () -> Commands.prepared(new PutCommand(context)));
        commands.put("get", () -> Commands.prepared(new GetCommand(context)));
        commands.put("tail", () -> Commands.prepared(new TailCommand(context)));
        commands.put("top", () -> Commands.prepared(new TopCommand(context)));
        commands.put("group", () -> Commands.prepared(new GroupCommand(context), subcommand));
        commands.put("user", () -> Commands.prepared(new UserCommand(context), subcommand));
        commands.put("quota", () -> Commands.prepared(new QuotaCommand(context), subcommand));
        commands.put("profile", () -> Commands.prepared(new ProfileCommand(context), subcommand));
        commands.putAll(more);
        return commands;
    }

    /** Returns the root with all of the client's commands. */
    public static CommandLine commandLine(CommandContext context) {
        return commandLine(context, Map.of());
    }

    /**
     * Returns the root with the command that the first argument names, and of its subcommands the one that the second
     * names; with all of them if none is named. Help and completion exist only with all commands.
     *
     * @param more commands of other modules, by name
     */
    public static CommandLine commandLine(
            CommandContext context, Map<String, Supplier<CommandLine>> more, String... arguments) {
        CommandLine root = Commands.prepared(new Talos());
        String command = arguments.length == 0 ? "" : arguments[0];
        String subcommand = arguments.length < 2 ? "" : arguments[1];
        Supplier<CommandLine> named = commands(context, more, subcommand).get(command);
        if (named != null) {
            return root.addSubcommand(command, named.get());
        }
        if (arguments.length == 1 && VERSION.contains(command)) {
            return root;
        }
        if (subcommand.equals(CompletionCommand.NAMES)) { // at each press of Tab
            return root.addSubcommand(Commands.prepared(new CompletionCommand(context)));
        }
        commands(context, more, "").forEach((name, each) -> root.addSubcommand(name, each.get()));
        return root.addSubcommand(new HelpCommand()).addSubcommand(Commands.prepared(new CompletionCommand(context)));
    }

    /** Runs a command of the client and exits with its code. */
    public static void main(String[] arguments) {
        CommandContext context = CommandContext.ofProcess();
        int code = LostCharacters.refused(arguments)
                .orElseGet(() -> Commands.execute(context, commandLine(context, Map.of(), arguments), arguments));
        // The JVM waits up to 300 ms before it exits for threads in system calls, such as the selector of an HTTP
        // client. An interrupt ends such a thread. Only a JDK 21 has clients that can be closed.
        Thread.currentThread().getThreadGroup().interrupt();
        System.exit(code);
    }
}
