// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

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
import org.talos.bench.report.CompareCommand;
import org.talos.bench.run.RunCommand;
import org.talos.bench.transfer.TransferCommand;
import org.talos.check.CheckCommand;
import org.talos.cli.Surroundings;
import org.talos.cli.Talos;
import org.talos.launcher.MoreCommands;
import picocli.CommandLine;

/** {@code bin/talos bench} with all that measures, and the history checker. Immutable. */
public final class BenchCommands implements MoreCommands {
    /** For the launcher, which finds it by the name of {@link MoreCommands}. */
    public BenchCommands() {}

    @Override
    public CommandLine command(Surroundings surroundings) {
        return Talos.prepared(new BenchCommand())
                .addSubcommand(Talos.prepared(new BlockingCommand(surroundings)))
                .addSubcommand(Talos.prepared(new ThreadsCommand(surroundings)))
                .addSubcommand(Talos.prepared(new TransferCommand(surroundings)))
                .addSubcommand(Talos.prepared(new CheckCommand(surroundings)))
                .addSubcommand(Talos.prepared(new FloorCommand(surroundings)))
                .addSubcommand(Talos.prepared(new HdfsCommand(surroundings)))
                .addSubcommand(Talos.prepared(new IdleCommand(surroundings)))
                .addSubcommand(Talos.prepared(new MicroCommand(surroundings)))
                .addSubcommand(Talos.prepared(new PayloadCommand(surroundings)))
                .addSubcommand(Talos.prepared(new CapacityCommand(surroundings)))
                .addSubcommand(Talos.prepared(new CompareCommand(surroundings)))
                .addSubcommand(Talos.prepared(new RunCommand(surroundings)))
                .addSubcommand(Talos.prepared(new TakeoverCommand(surroundings)))
                .addSubcommand(Talos.prepared(new Talos216Command(surroundings)));
    }
}
