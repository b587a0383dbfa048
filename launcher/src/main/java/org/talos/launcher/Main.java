// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.util.List;
import java.util.ServiceLoader;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import org.talos.cli.command.Talos;
import org.talos.launcher.cluster.ClusterCommand;
import org.talos.launcher.cluster.DoctorCommand;
import org.talos.launcher.cluster.InitCommand;
import org.talos.launcher.devcluster.DevClusterCommand;
import org.talos.launcher.quickstart.QuickstartCommand;
import picocli.CommandLine;

/** The {@code talos} command with everything. Confined: the main thread. */
public final class Main {
    private static final List<String> NAMES =
            List.of("server", "quickstart", "init", "doctor", "devcluster", "cluster");

    private Main() {}

    /** All commands. */
    public static CommandLine commandLine(Surroundings surroundings) {
        CommandLine root = Talos.commandLine(surroundings);
        for (String name : NAMES) {
            root.addSubcommand(command(name, surroundings));
        }
        List<CommandLine> more = ServiceLoader.load(MoreCommands.class).stream()
                .map(each -> each.get().command(surroundings))
                .toList();
        more.forEach(root::addSubcommand);
        if (more.isEmpty()) {
            // whatever its arguments are, the answer is the same
            root.addSubcommand(
                    Commands.prepared(new AbsentCommand(surroundings)).setUnmatchedArgumentsAllowed(true));
        }
        return root;
    }

    private static CommandLine command(String name, Surroundings surroundings) {
        return Commands.prepared(
                switch (name) {
                    case "server" -> new ServerCommand(surroundings);
                    case "quickstart" -> new QuickstartCommand(surroundings);
                    case "init" -> new InitCommand(surroundings);
                    case "doctor" -> new DoctorCommand(surroundings);
                    case "devcluster" -> new DevClusterCommand(surroundings);
                    case "cluster" -> new ClusterCommand(surroundings);
                    default -> throw new IllegalArgumentException(name);
                });
    }

    /** Runs one command and exits with its code. One of the launcher's own is made without the others. */
    public static void main(String[] arguments) {
        Surroundings surroundings = Surroundings.ofProcess();
        CommandLine root = arguments.length > 0 && NAMES.contains(arguments[0])
                ? Talos.root().addSubcommand(command(arguments[0], surroundings))
                : commandLine(surroundings);
        System.exit(root.execute(arguments));
    }
}
