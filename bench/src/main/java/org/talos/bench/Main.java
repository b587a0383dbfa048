// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import org.talos.bench.floor.BenchCommand;
import org.talos.bench.quickstart.QuickstartCommand;
import org.talos.cli.TalosCommand;
import picocli.CommandLine;

/**
 * The main class of bin/talos: the client's commands, and those that need a server in the same program. Confined: the
 * main thread.
 */
public final class Main {
    private Main() {}

    /** Runs a command and exits with its code. */
    public static void main(String[] arguments) {
        CommandLine line = TalosCommand.commandLine();
        line.addSubcommand(new ServerCommand());
        line.addSubcommand(new QuickstartCommand());
        line.addSubcommand(new BenchCommand());
        System.exit(line.execute(arguments));
    }
}
