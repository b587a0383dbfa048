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
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;
import org.talos.launcher.MoreCommands;
import picocli.CommandLine;

/** Contributes {@code bin/talos bench} with all benchmarks, and the history checker. Immutable. */
public final class BenchCommands implements MoreCommands {
    /** For the launcher, which finds it by the name of {@link MoreCommands}. */
    public BenchCommands() {}

    @Override
    public CommandLine command(Surroundings surroundings) {
        return Commands.prepared(new BenchCommand())
                .addSubcommand(Commands.prepared(new BlockingCommand(surroundings)))
                .addSubcommand(Commands.prepared(new ThreadsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new TransferCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CheckCommand(surroundings)))
                .addSubcommand(Commands.prepared(new FloorCommand(surroundings)))
                .addSubcommand(Commands.prepared(new HdfsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new HostileCommand(surroundings)))
                .addSubcommand(Commands.prepared(new IdleCommand(surroundings)))
                .addSubcommand(Commands.prepared(new KillsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new MembersCommand(surroundings)))
                .addSubcommand(Commands.prepared(new MicroCommand(surroundings)))
                .addSubcommand(Commands.prepared(new MovesCommand(surroundings)))
                .addSubcommand(Commands.prepared(new NeighborsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new PartitionsCommand(surroundings)))
                .addSubcommand(Commands.prepared(new PayloadCommand(surroundings)))
                .addSubcommand(Commands.prepared(new PeersCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CapacityCommand(surroundings)))
                .addSubcommand(Commands.prepared(new CompareCommand(surroundings)))
                .addSubcommand(Commands.prepared(new ReplayCommand(surroundings)))
                .addSubcommand(Commands.prepared(new RunCommand(surroundings)))
                .addSubcommand(Commands.prepared(new ScaleCommand(surroundings)))
                .addSubcommand(Commands.prepared(new TakeoverCommand(surroundings)))
                .addSubcommand(Commands.prepared(new Talos216Command(surroundings)));
    }
}
