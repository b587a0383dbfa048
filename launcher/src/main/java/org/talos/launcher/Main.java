// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import org.talos.cli.LostCharacters;
import org.talos.cli.Waiting;
import org.talos.cli.command.Talos;
import org.talos.launcher.backup.BackupCommand;
import org.talos.launcher.backup.RestoreCommand;
import org.talos.launcher.cluster.ClusterCommand;
import org.talos.launcher.cluster.DoctorCommand;
import org.talos.launcher.cluster.InitCommand;
import org.talos.launcher.devcluster.DevClusterCommand;
import org.talos.launcher.quickstart.QuickstartCommand;
import picocli.CommandLine;

/** The {@code talos} command with the commands of all modules. Confined: the main thread. */
public final class Main {
    private Main() {}

    /** Returns the root with the command that the first argument names; with all of them if it names none. */
    public static CommandLine commandLine(CommandContext context, String... arguments) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("server", () -> Commands.prepared(new ServerCommand(context)));
        commands.put("quickstart", () -> Commands.prepared(new QuickstartCommand(context)));
        commands.put("init", () -> Commands.prepared(new InitCommand(context)));
        commands.put("doctor", () -> Commands.prepared(new DoctorCommand(context)));
        commands.put("backup", () -> Commands.prepared(new BackupCommand(context)));
        commands.put("restore", () -> Commands.prepared(new RestoreCommand(context)));
        commands.put("admin-key", () -> Commands.prepared(new AdminKeyCommand(context)));
        commands.put("devcluster", () -> Commands.prepared(new DevClusterCommand(context)));
        commands.put("cluster", () -> Commands.prepared(new ClusterCommand(context)));
        commands.put(AbsentCommand.NAME, () -> bench(context));
        return Talos.commandLine(context, commands, arguments);
    }

    private static CommandLine bench(CommandContext context) {
        return ServiceLoader.load(MoreCommands.class)
                .findFirst()
                .map(found -> found.command(context))
                // whatever its arguments are, the answer is the same
                .orElseGet(() -> Commands.prepared(new AbsentCommand(context)).setUnmatchedArgumentsAllowed(true));
    }

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(LostCharacters.refused(arguments).orElseGet(() -> run(CommandContext.ofProcess(), arguments)));
    }

    /** Runs a measurement, which takes minutes, and shows the elapsed time on a terminal. */
    private static int run(CommandContext context, String... arguments) {
        if (arguments.length < 2 || !arguments[0].equals(AbsentCommand.NAME)) {
            return Commands.execute(context, commandLine(context, arguments), arguments);
        }
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        try (Waiting waiting = Waiting.begin(context, err, arguments[0] + " " + arguments[1])) {
            return Commands.execute(waiting.context(), commandLine(waiting.context(), arguments), arguments);
        }
    }
}
