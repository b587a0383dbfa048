// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The benchmarks. Confined: the main thread. */
@Command(name = "bench", description = "Measure.", mixinStandardHelpOptions = true, subcommands = FloorCommand.class)
public final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which? Try: talos bench floor --help");
    }
}
