// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Endpoints;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.common.name.HostAndPort;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ShutdownHooks;
import org.talos.server.TalosServer;
import org.talos.server.boot.LogOutput;
import org.talos.server.boot.StartFailure;
import org.talos.server.boot.setup.ClusterSetUp;
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
 * Shows that Talos works: starts a server, puts messages through the signed protocol, gets them back, compares them,
 * and then continues to serve.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "quickstart",
        description = "Start a server, on a fresh directory by default, send thousands of messages through "
                + "it, compare what comes back, and serve until Ctrl-C.",
        mixinStandardHelpOptions = true)
public final class QuickstartCommand implements Callable<Integer> {
    private static final Duration FAILOVER = Duration.ofMinutes(3);
    private static final String LOG_LEVEL = "talos.log.level";

    private final CommandContext context;

    @Option(names = "--once", description = "End after the comparison: 0 if all matched, 1 if not")
    private boolean once;

    @Option(names = "--messages", description = "How many. Default: 10000")
    private int messages = 10_000;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Start the server with this configuration, on the data that it names. Default: one of its own")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the data there. Default: that of the configuration, else a temporary directory")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--port",
            description = "Port to listen on; 0 picks a free one. Default: that of the configuration, else 0")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--endpoint",
            split = ",",
            paramLabel = "URL",
            description = "Start no server: use this one, or several of one cluster, which may fail in between")
    private List<String> endpoints = List.of(); // texts, as an invalid URL may have a password

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description = "With --endpoint: two lines, accessKey=... and secretKey=...")
    private Optional<Path> credentials = Optional.empty();

    @Option(names = "--seed", description = "Seed of the messages. Default: 1")
    private long seed = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Creates the command. */
    public QuickstartCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, "WARN"); // before the first logger is made
        }
        if (!endpoints.isEmpty()) {
            return useServers();
        }
        if (config.isPresent() || data.isPresent()) {
            return serve(Optional.empty());
        }
        Path directory = Files.createTempDirectory("talos-quickstart-");
        try {
            return serve(Optional.of(directory));
        } finally {
            Folders.delete(directory);
        }
    }

    /** The longest time until the partitions of a lost server are taken over. */
    private int useServers() throws IOException, CommandException, TalosClientException, InterruptedException {
        if (config.isPresent() || data.isPresent() || port.isPresent() || credentials.isEmpty()) {
            throw CommandException.usage("--endpoint goes with --credentials, and starts no server");
        }
        List<URI> servers = Endpoints.of(endpoints);
        TalosEndpoint first = Connection.fromFile(servers.get(0), credentials.get());
        return comparison().run(ClientConfig.of(first).withEndpoints(servers).withDeadline(FAILOVER)) ? 0 : 1;
    }

    private int serve(Optional<Path> temporary)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        ServerConfig settings;
        try {
            settings = settings(temporary.or(() -> data));
            var unused = EnabledFrontEnds.of(settings.frontEnds());
            LogOutput.check();
        } catch (ConfigException | IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        context.line("starting a server, its data in " + settings.dataDirectory()
                + (temporary.isPresent() ? ", which is deleted at the end" : ""));
        try (TalosServer server = start(settings)) {
            Runnable stop = server::close;
            ShutdownHooks.onExit("stop", () -> {
                stop.run();
                temporary.ifPresent(Folders::delete);
            });
            return serve(settings, server);
        }
    }

    private static TalosServer start(ServerConfig settings) throws CommandException {
        try {
            if (settings.storage().onHadoop()) {
                ClusterSetUp.prepare(settings); // a first trial should need only one command
            }
            return TalosServer.start(settings);
        } catch (IOException | MetadataException | StorageException | RuntimeException | Error e) {
            throw new CommandException(StartFailure.reported(e), e);
        }
    }

    private int serve(ServerConfig settings, TalosServer server)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Path file =
                Path.of(settings.dataDirectory()).resolve("admin.credentials").toAbsolutePath();
        String scheme = settings.http().tls().enabled() ? "https" : "http";
        URI uri = URI.create(
                scheme + "://" + HostAndPort.of(reachable(settings.http().host()), server.port()));
        boolean matched = comparison().run(ClientConfig.of(Connection.fromFile(uri, file)));
        if (!once) {
            printNextSteps(uri, file);
            Optional<String> replaced = server.awaitEnd();
            if (replaced.isPresent()) {
                throw new CommandException(replaced.get());
            }
        }
        return matched ? 0 : 1;
    }

    /** Returns an address that clients can call, which the address of a listener need not be. */
    private static String reachable(String host) {
        return Set.of("0.0.0.0", "::").contains(host) ? "127.0.0.1" : host;
    }

    private ServerConfig settings(Optional<Path> directory) throws ConfigException {
        Map<String, String> environment = new HashMap<>(context.environment());
        directory.ifPresent(each -> environment.put("TALOS_DATADIRECTORY", each.toString()));
        port.ifPresent(number -> environment.put("TALOS_HTTP_PORT", Integer.toString(number)));
        if (config.isPresent()) {
            return ConfigLoader.load(config.get(), environment);
        }
        environment.put("TALOS_HTTP_HOST", "127.0.0.1");
        environment.put("TALOS_HTTP_PORT", Integer.toString(port.orElse(0)));
        environment.putIfAbsent("TALOS_MANAGEMENT_PORT", "0");
        return ConfigLoader.load(environment);
    }

    private MessageComparison comparison() {
        return new MessageComparison(context, spec.commandLine().getErr(), messages, seed);
    }

    private void printNextSteps(URI uri, Path file) throws IOException {
        String options = " --endpoint " + uri + " --credentials '" + file + "'";
        context.line("");
        context.line("serving " + uri + " until Ctrl-C; in another terminal:");
        context.line("  bin/talos put " + MessageComparison.TOPIC + " hello --partition 0" + options);
        context.line("  bin/talos get " + MessageComparison.TOPIC + " --partition 0 --from last" + options);
    }
}
