// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.launcher.local.ShutdownHooks;
import org.talos.server.Main;
import org.talos.server.TalosServer;
import org.talos.server.boot.HeapBounds;
import org.talos.server.boot.LogOutput;
import org.talos.server.boot.StartFailure;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.frontend.EnabledFrontEnds;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A server that runs until it is asked to stop.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "server",
        description = "Run a server until Ctrl-C or SIGTERM. Every key of conf/talos.yaml can also be given by the "
                + "environment: http.port is TALOS_HTTP_PORT.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes, beside those of all commands:%n",
        exitCodeList = {"78:the configuration is wrong: starting it again does not help", "143:stopped by SIGTERM"})
final class ServerCommand implements Callable<Integer> {
    private static final String DATA_DIRECTORY = "TALOS_DATADIRECTORY";

    private final CommandContext context;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration. Default: that of conf/talos.yaml")
    private Optional<Path> config = Optional.empty();

    @Option(names = "--port", description = "Port to listen on; 0 picks a free one. Default: 8080")
    private Optional<Integer> port = Optional.empty();

    @Option(names = "--data", paramLabel = "DIR", description = "Data directory. Default: data/ of this project")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--check-config",
            description =
                    "Only look at the configuration: say what is wrong with it, where, and what was expected, or print "
                            + "the limits that follow from this memory, and end with 0 or 78. Touches nothing")
    private boolean check;

    @Spec
    private CommandSpec spec = CommandSpec.create(); // set before it is run

    ServerCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, InterruptedException {
        ServerConfig settings;
        try {
            settings = settings();
            var unused = EnabledFrontEnds.of(settings.frontEnds());
            LogOutput.check();
        } catch (ConfigException e) {
            return needsNoRestart(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CommandException(StartFailure.sentence(e), e);
        }
        if (check) {
            context.line("the configuration is sound; limits in the memory of this JVM:");
            for (var limit : HeapBounds.ofThisJvm().limits(settings).entrySet()) {
                context.line("  " + limit.getKey() + ": " + limit.getValue());
            }
            return 0;
        }
        return serve(settings);
    }

    private int serve(ServerConfig settings) throws IOException, CommandException, InterruptedException {
        try (TalosServer server = start(settings)) {
            Supervisor supervisor = new Supervisor(context.environment());
            Runnable stop = server::close;
            ShutdownHooks.onExit("stop", () -> {
                supervisor.stopping();
                stop.run();
            });
            supervisor.serving(server::isAlive);
            context.line("talos: serving " + settings.http().address(server.port()) + "  data: "
                    + Path.of(settings.dataDirectory()).toAbsolutePath());
            return server.awaitEnd().map(this::needsNoRestart).orElse(0);
        }
    }

    /** Whatever fails: a process that continues without a server would look alive to its supervisor. */
    private static TalosServer start(ServerConfig settings) throws CommandException {
        try {
            return TalosServer.start(settings);
        } catch (IOException | MetadataException | StorageException | RuntimeException | Error e) {
            throw new CommandException(StartFailure.reported(e), e);
        }
    }

    private int needsNoRestart(String reason) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("talos: " + reason);
        err.flush();
        return Main.WRONG_CONFIGURATION;
    }

    private ServerConfig settings() throws ConfigException {
        Map<String, String> environment = new HashMap<>(context.environment());
        port.ifPresent(number -> environment.put("TALOS_HTTP_PORT", Integer.toString(number)));
        data.ifPresent(directory -> environment.put(DATA_DIRECTORY, directory.toString()));
        if (config.isPresent()) {
            return ConfigLoader.load(config.get(), environment);
        }
        environment.putIfAbsent(DATA_DIRECTORY, context.dataDirectory().toString());
        return ConfigLoader.load(environment);
    }
}
