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
    private Main() {}

    /** All commands. */
    public static CommandLine commandLine(Surroundings surroundings) {
        CommandLine root = Talos.commandLine(surroundings);
        root.addSubcommand(Commands.prepared(new ServerCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new QuickstartCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new InitCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new DoctorCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new DevClusterCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new ClusterCommand(surroundings)));
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

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess()).execute(arguments));
    }
}
