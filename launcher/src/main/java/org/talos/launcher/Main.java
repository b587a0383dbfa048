// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.talos.cli.Commands;
import org.talos.cli.LostCharacters;
import org.talos.cli.Surroundings;
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

/** The {@code talos} command with everything. Confined: the main thread. */
public final class Main {
    private Main() {}

    /** The root with the command that the first argument names; with all of them if it names none. */
    public static CommandLine commandLine(Surroundings surroundings, String... arguments) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("server", () -> Commands.prepared(new ServerCommand(surroundings)));
        commands.put("quickstart", () -> Commands.prepared(new QuickstartCommand(surroundings)));
        commands.put("init", () -> Commands.prepared(new InitCommand(surroundings)));
        commands.put("doctor", () -> Commands.prepared(new DoctorCommand(surroundings)));
        commands.put("backup", () -> Commands.prepared(new BackupCommand(surroundings)));
        commands.put("restore", () -> Commands.prepared(new RestoreCommand(surroundings)));
        commands.put("devcluster", () -> Commands.prepared(new DevClusterCommand(surroundings)));
        commands.put("cluster", () -> Commands.prepared(new ClusterCommand(surroundings)));
        commands.put(AbsentCommand.NAME, () -> bench(surroundings));
        return Talos.commandLine(surroundings, commands, arguments);
    }

    private static CommandLine bench(Surroundings surroundings) {
        return ServiceLoader.load(MoreCommands.class)
                .findFirst()
                .map(found -> found.command(surroundings))
                // whatever its arguments are, the answer is the same
                .orElseGet(
                        () -> Commands.prepared(new AbsentCommand(surroundings)).setUnmatchedArgumentsAllowed(true));
    }

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(LostCharacters.refused(arguments).orElseGet(() -> run(Surroundings.ofProcess(), arguments)));
    }

    /** Measuring takes minutes of which a terminal is shown that they pass. */
    private static int run(Surroundings surroundings, String... arguments) {
        if (arguments.length < 2 || !arguments[0].equals(AbsentCommand.NAME)) {
            return Commands.execute(surroundings, commandLine(surroundings, arguments), arguments);
        }
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        try (Waiting waiting = Waiting.begin(surroundings, err, arguments[0] + " " + arguments[1])) {
            return Commands.execute(waiting.surroundings(), commandLine(waiting.surroundings(), arguments), arguments);
        }
    }
}
