// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import org.talos.bench.executor.BlockingCommand;
import org.talos.bench.executor.ThreadsCommand;
import org.talos.bench.experiment.CapacityCommand;
import org.talos.bench.experiment.Talos216Command;
import org.talos.bench.floor.FloorCommand;
import org.talos.bench.hdfs.HdfsCommand;
import org.talos.bench.hdfs.TakeoverCommand;
import org.talos.bench.hostile.HostileCommand;
import org.talos.bench.idle.IdleCommand;
import org.talos.bench.kills.KillsCommand;
import org.talos.bench.members.MembersCommand;
import org.talos.bench.micro.MicroCommand;
import org.talos.bench.moves.MovesCommand;
import org.talos.bench.neighbors.NeighborsCommand;
import org.talos.bench.partitions.PartitionsCommand;
import org.talos.bench.payload.PayloadCommand;
import org.talos.bench.peers.PeersCommand;
import org.talos.bench.replay.ReplayCommand;
import org.talos.bench.report.CompareCommand;
import org.talos.bench.run.RunCommand;
import org.talos.bench.scale.ScaleCommand;
import org.talos.bench.transfer.TransferCommand;
import org.talos.check.CheckCommand;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import org.talos.launcher.MoreCommands;
import picocli.CommandLine;

/** Contributes {@code bin/talos bench} with all benchmarks, and the history checker. Immutable. */
public final class BenchCommands implements MoreCommands {
    /** For the launcher, which finds it by the name of {@link MoreCommands}. */
    public BenchCommands() {}

    @Override
    public CommandLine command(CommandContext context) {
        return Commands.prepared(new BenchCommand())
                .addSubcommand(new BlockingCommand(context).commandLine())
                .addSubcommand(new ThreadsCommand(context).commandLine())
                .addSubcommand(new TransferCommand(context).commandLine())
                .addSubcommand(Commands.prepared(new CheckCommand(context)))
                .addSubcommand(new FloorCommand(context).commandLine())
                .addSubcommand(new HdfsCommand(context).commandLine())
                .addSubcommand(new HostileCommand(context).commandLine())
                .addSubcommand(new IdleCommand(context).commandLine())
                .addSubcommand(Commands.prepared(new KillsCommand(context)))
                .addSubcommand(new MembersCommand(context).commandLine())
                .addSubcommand(new MicroCommand(context).commandLine())
                .addSubcommand(new MovesCommand(context).commandLine())
                .addSubcommand(new NeighborsCommand(context).commandLine())
                .addSubcommand(new PartitionsCommand(context).commandLine())
                .addSubcommand(new PayloadCommand(context).commandLine())
                .addSubcommand(new PeersCommand(context).commandLine())
                .addSubcommand(new CapacityCommand(context).commandLine())
                .addSubcommand(Commands.prepared(new CompareCommand(context)))
                .addSubcommand(new ReplayCommand(context).commandLine())
                .addSubcommand(new RunCommand(context).commandLine())
                .addSubcommand(new ScaleCommand(context).commandLine())
                .addSubcommand(new TakeoverCommand(context).commandLine())
                .addSubcommand(new Talos216Command(context).commandLine());
    }
}
