// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.talos.server.Main;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a server until it is told to stop. Confined: the main thread. */
@Command(name = "server", description = "Run a server until Ctrl-C.", mixinStandardHelpOptions = true)
final class ServerCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "CONFIG", description = "A file such as conf/talos.yaml.")
    private @Nullable Path config;

    @Override
    public Integer call() throws InterruptedException {
        Main.main(config == null ? new String[0] : new String[] {config.toString()});
        return 0;
    }
}
