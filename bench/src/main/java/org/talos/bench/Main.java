// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import org.talos.bench.check.CheckCommand;
import org.talos.bench.cluster.ClusterCommand;
import org.talos.bench.cluster.DoctorCommand;
import org.talos.bench.cluster.InitCommand;
import org.talos.bench.executor.BlockingCommand;
import org.talos.bench.executor.ThreadsCommand;
import org.talos.bench.experiment.CapacityCommand;
import org.talos.bench.experiment.Talos216Command;
import org.talos.bench.floor.FloorCommand;
import org.talos.bench.hdfs.HdfsCommand;
import org.talos.bench.hdfs.TakeoverCommand;
import org.talos.bench.idle.IdleCommand;
import org.talos.bench.micro.MicroCommand;
import org.talos.bench.payload.PayloadCommand;
import org.talos.bench.quickstart.QuickstartCommand;
import org.talos.bench.report.CompareCommand;
import org.talos.bench.run.RunCommand;
import org.talos.bench.transfer.TransferCommand;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import org.talos.cli.command.Talos;
import picocli.CommandLine;

/** The {@code talos} command with everything. Confined: the main thread. */
public final class Main {
    private Main() {}

    /** All commands. */
    static CommandLine commandLine(Surroundings surroundings) {
        CommandLine root = Talos.commandLine(surroundings);
        root.addSubcommand(Commands.prepared(new ServerCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new QuickstartCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new InitCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new DoctorCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new DevClusterCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new ClusterCommand(surroundings)));
        root.addSubcommand(Commands.prepared(new BenchCommand())
                .addSubcommand(Commands.prepared(new BlockingCommand(surroundings)))
                .addSubcommand(Commands.prepared(new ThreadsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new TransferCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CheckCommand(surroundings)))
                .addSubcommand(Commands.prepared(new FloorCommand(surroundings)))
                .addSubcommand(Commands.prepared(new HdfsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new IdleCommand(surroundings)))
                .addSubcommand(Commands.prepared(new MicroCommand(surroundings)))
                .addSubcommand(Commands.prepared(new PayloadCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CapacityCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CompareCommand(surroundings)))
                .addSubcommand(Commands.prepared(new RunCommand(surroundings)))
                .addSubcommand(Commands.prepared(new TakeoverCommand(surroundings)))
                .addSubcommand(Commands.prepared(new Talos216Command(surroundings))));
        return root;
    }

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(commandLine(Surroundings.ofProcess()).execute(arguments));
    }
}
