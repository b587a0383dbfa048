// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.load.MeasuredServer;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.Main;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what connections that wait cost a server. Confined: the main thread. */
@Command(
        name = "idle",
        description =
                "Holds connections that wait in long polls, on event streams or on streams, prints what they cost "
                        + "the server, then puts: for one alone, often, and one message that all others wait for.")
public final class IdleCommand extends ExperimentCommand {
    private static final String TOPIC = "idle";
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
    /** Of the heap for each connection, in which a server by its own count has room for it. */
    private static final long CLEAR_KIBIBYTES = 44;

    private static final long TLS_KIBIBYTES = 72;
    private static final long MEMORY_BYTES = 64L << 20;
    /** Twice what the server counts, as one user may have half of it: a request, and a subscription of a stream. */
    private static final long MEMORY_OF_A_CONNECTION = 8L << 10;

    @Option(names = "--connections", description = "Default: 10000")
    private int connections = 10_000;

    @Option(names = "--kind", description = "poll, events or stream. Default: poll")
    private Kind kind = Kind.POLL;

    @Option(names = "--tls", description = "Each connection is under TLS, with a key made for this run")
    private boolean tls;

    @Option(names = "--alone", description = "Of these, alone at a partition of their own. Default: 100")
    private int alone = 100;

    @Option(names = "--wakes", description = "Puts that wake one of those. Default: 1000")
    private int wakes = 1_000;

    @Option(names = "--rate", description = "Connections that are opened in a second. Default: 2000")
    private int rate = 2_000;

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description = "JVM of the server. Default: -Xmx of 800m and 44 KiB for each connection, 72 KiB with --tls")
    private Optional<String> serverOptions = Optional.empty();

    public IdleCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .seconds(
                                "How long they wait while CPU is measured; of whole six fifths of http.idleTimeout, as "
                                        + "each shows three heartbeats in them, of which one is to be answered",
                                144,
                                144)
                        .data("Where the server keeps data")
                        .set("For the server, as in the environment: HTTP_IDLETIMEOUT=10m"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        if (alone < 1 || connections <= alone || wakes < 0 || rate < 1) {
            throw CommandException.usage("--alone, --rate: 1 or more; --connections: more than --alone");
        }
        var unused = options().seconds(); // in its range, before anything is started
        MachineLimits limits = MachineLimits.read(Path.of("/"));
        requireRoom(limits);
        Path work = Files.createDirectories(work());
        try (Transport transport = tls ? OwnTls.make(work) : Transport.PLAIN) {
            return run(work, limits, transport) ? 0 : 1;
        }
    }

    private boolean run(Path work, MachineLimits limits, Transport transport)
            throws IOException, TalosClientException, CommandException {
        List<String> jvm = List.of(serverOptions.orElseGet(this::heap).strip().split(" +"));
        Map<String, String> environment = environment();
        environment.putAll(transport.ofServer());
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, jvm, environment, work, work.resolve("idle.log"))) {
            TalosEndpoint endpoint = server.endpoint();
            new TalosAdmin(new TalosClient(transport.client(endpoint)).once())
                    .createTopic(NewTopic.of(TOPIC, alone + 2));
            String headers = headers(server.uri(), endpoint);
            IdleRun.Settings run = new IdleRun.Settings(
                    kind, connections, alone, wakes, rate, options().seconds());
            try (WaitLoop loop = new WaitLoop(
                    server.address(),
                    transport,
                    kind,
                    limits.ports(),
                    partition -> new Place(TOPIC, partition, headers, LONGEST_WAIT))) {
                return new IdleRun(run, server, loop, context()::line).run();
            }
        }
    }

    private void requireRoom(MachineLimits limits) throws IOException, CommandException {
        List<MachineLimit> tooLow = limits.tooLow(connections);
        if (tooLow.isEmpty()) {
            return;
        }
        line("too low on this machine for %d connections:", connections);
        for (MachineLimit each : tooLow) {
            context().line("  " + each.sentence(connections));
        }
        throw new CommandException("this machine allows --connections " + limits.connections() + " as it is");
    }

    /**
     * Four times what the server may count for requests, of which one user has half, and room for the connections: it
     * makes its bounds smaller else.
     */
    private String heap() {
        return "-Xmx" + (800 + connections * (tls ? TLS_KIBIBYTES : CLEAR_KIBIBYTES) / 1_024) + "m";
    }

    private Map<String, String> environment() {
        String most = Integer.toString(connections + 1_000);
        Map<String, String> environment = new HashMap<>(Map.of(
                "HTTP_MAXCONNECTIONS", most,
                "HTTP_LIMITS_CONNECTIONSPERADDRESS", most,
                "HTTP_LIMITS_STREAMS", most,
                "HTTP_LIMITS_STREAMSPERUSER", most,
                "HTTP_LIMITS_WAITINGPERUSER", most,
                "HTTP_MAXREQUESTMEMORYBYTES", Long.toString(MEMORY_BYTES + connections * MEMORY_OF_A_CONNECTION),
                "SERVICE_MAXRESTWAIT", LONGEST_WAIT.toSeconds() + "s"));
        environment.putAll(options().set());
        return environment;
    }

    private static String headers(URI uri, TalosEndpoint endpoint) {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        String basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return "Host: " + uri.getHost() + ":" + uri.getPort() + "\r\nAuthorization: Basic " + basic + "\r\n";
    }
}
