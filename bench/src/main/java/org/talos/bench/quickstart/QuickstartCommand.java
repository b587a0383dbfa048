// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.talos.bench.load.Directories;
import org.talos.server.TalosServer;
import org.talos.server.config.ConfigLoader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts a server, puts messages, gets them back, compares, then serves until Ctrl-C. Confined: the main thread. */
@Command(
        name = "quickstart",
        description = "Start a server here, put messages, get them back, check them.",
        mixinStandardHelpOptions = true)
public final class QuickstartCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--once", description = "Stop after the check; exit 0 only if everything matched.")
    private boolean once;

    @Option(names = "--messages", defaultValue = "10000", description = "How many (${DEFAULT-VALUE}).")
    private int messages;

    @Option(names = "--threads", defaultValue = "4", description = "Producers and consumers (${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--port", defaultValue = "0", description = "0 picks a free one.")
    private int port;

    @Option(names = "--data", description = "Data directory; else a temporary one, removed at the end.")
    private @Nullable Path data;

    @Override
    public Integer call() throws Exception {
        Path directory = data == null ? Files.createTempDirectory("talos-quickstart") : data;
        Runtime.getRuntime().addShutdownHook(new Thread(this::removeTemporary));
        temporary = data == null ? directory : null;
        Map<String, String> settings = new HashMap<>(System.getenv());
        settings.put("TALOS_DATADIRECTORY", directory.toString());
        settings.put("TALOS_HTTP_HOST", "127.0.0.1");
        settings.put("TALOS_HTTP_PORT", Integer.toString(port));
        settings.put("TALOS_METRICSLOGINTERVAL", "0s");
        PrintWriter out = spec.commandLine().getOut();
        TalosServer server = TalosServer.start(ConfigLoader.load(settings));
        try {
            Quickstart run = new Quickstart(directory, server.port(), messages, threads, out);
            boolean matched = run.run();
            if (once) {
                return matched ? 0 : 1;
            }
            explain(out, directory, server.port());
            server.awaitStop();
            return 0;
        } finally {
            server.close();
            removeTemporary();
        }
    }

    private @Nullable Path temporary;

    private void removeTemporary() {
        Path directory = temporary;
        if (directory != null) {
            try {
                Directories.remove(directory);
            } catch (IOException e) {
                spec.commandLine().getErr().println("talos: " + directory + " is left: " + e.getMessage());
            }
        }
    }

    private static void explain(PrintWriter out, Path directory, int port) {
        String options =
                "--endpoint http://127.0.0.1:" + port + " --credentials " + directory.resolve("admin.credentials");
        out.println();
        out.println("Serving http://127.0.0.1:" + port + " until Ctrl-C. In another terminal:");
        out.println("  bin/talos put quickstart hello " + options);
        out.println("  bin/talos get quickstart --offset latest " + options);
        out.flush();
    }
}
