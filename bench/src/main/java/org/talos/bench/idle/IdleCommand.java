// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ServerState;
import org.talos.launcher.local.SpawnedServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures many connections in long poll: what they cost a server that does nothing else, and how soon they are
 * notified of a put.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "idle",
        description = "Holds connections in long poll over REST, prints what they cost the server, then puts: alone "
                + "waiters one after another, and one message that all others wait for.",
        mixinStandardHelpOptions = true)
public final class IdleCommand implements Callable<Integer> {
    private static final String TOPIC = "idle";
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(55);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Until answers that are under way have come, and what they left is done. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /** A server starts a few threads late, whatever its connections do. */
    private static final int THREADS_THAT_MAY_COME = 24;

    private final Surroundings surroundings;

    @Option(names = "--connections", description = "Default: 10000")
    private int connections = 10_000;

    @Option(names = "--alone", description = "Of these, alone at a partition of their own. Default: 100")
    private int alone = 100;

    @Option(names = "--seconds", description = "How long they wait while CPU is measured. Default: 20")
    private int seconds = 20;

    @Option(names = "--data", paramLabel = "DIR", description = "Where the server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(names = "--server-options", paramLabel = "OPTIONS", description = "JVM of the server. Default: -Xmx512m")
    private String serverOptions = "-Xmx512m";

    /** Returns the command. */
    public IdleCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        Path work = Files.createDirectories(data.orElse(RunFolder.work(surroundings.home())));
        Path folder = Files.createTempDirectory(work, "idle-");
        Map<String, String> environment = Map.of(
                "TALOS_DATADIRECTORY",
                folder.resolve("data").toString(),
                "TALOS_HTTP_HOST",
                "127.0.0.1",
                "TALOS_HTTP_PORT",
                "0",
                "TALOS_MANAGEMENT_PORT",
                "0",
                "TALOS_HTTP_MAXCONNECTIONS",
                Integer.toString(connections + 1_000),
                "TALOS_HTTP_LIMITS_CONNECTIONSPERADDRESS",
                Integer.toString(connections + 1_000));
        List<String> jvm = List.of(serverOptions.strip().split(" +"));
        try (SpawnedServer server = SpawnedServer.start(
                org.talos.server.Main.class.getName(), jvm, environment, work.resolve("idle.log"))) {
            URI uri = server.uri();
            TalosEndpoint endpoint = Connection.fromFile(uri, folder.resolve("data/admin.credentials"));
            new TalosAdmin(new TalosClient(endpoint).once()).createTopic(NewTopic.of(TOPIC, alone + 1));
            String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
            String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
            try (PollLoop loop = new PollLoop(address, "/v1/topics/" + TOPIC + "/partitions", basic)) {
                return measure(server, loop) ? 0 : 1;
            }
        } finally {
            Folders.delete(folder);
        }
    }

    private boolean measure(SpawnedServer server, PollLoop loop) throws IOException {
        for (int partition = 0; partition <= alone; partition++) {
            loop.openAndWait(partition, LONGEST_WAIT); // so that opening partitions counts as «before»
        }
        loop.hold(SETTLE);
        Duration used = server.cpu();
        loop.hold(Duration.ofSeconds(seconds));
        Duration rest = server.cpu().minus(used);
        ServerState before = ServerState.of(server);
        for (int i = alone + 1; i < connections; i++) {
            loop.wait(0, LONGEST_WAIT);
        }
        loop.hold(SETTLE);
        ServerState waiting = ServerState.of(server);
        long polls = loop.polls();
        used = server.cpu();
        loop.hold(Duration.ofSeconds(seconds));
        Duration cpu = server.cpu().minus(used);
        polls = loop.polls() - polls;
        int added = connections - alone - 1;
        surroundings.line("connections      %d in long poll, %d failed".formatted(connections, loop.failed()));
        surroundings.line(
                "heap             " + memory("MiB live before", before.heapBytes(), waiting.heapBytes(), added));
        surroundings.line(
                "resident         " + memory("MiB before", before.residentBytes(), waiting.residentBytes(), added));
        surroundings.line("threads          %d before, %d with them".formatted(before.threads(), waiting.threads()));
        surroundings.line("requests         %d while they wait".formatted(polls));
        surroundings.line("cpu              %.2f %% of one processor at rest, %.2f %% while they wait"
                .formatted(percent(rest), percent(cpu)));
        wake(loop);
        boolean sound = loop.failed() == 0 && waiting.threads() <= before.threads() + THREADS_THAT_MAY_COME;
        if (!sound) {
            surroundings.line(
                    "WRONG            %d connections failed, first: %s".formatted(loop.failed(), loop.firstFailure()));
        }
        return sound;
    }

    private double percent(Duration cpu) {
        return 100.0 * cpu.toMillis() / (1_000.0 * seconds);
    }

    private static String memory(String what, long before, long after, int connections) {
        return "%d %s, %d MiB with them: %d bytes a connection"
                .formatted(before >> 20, what, after >> 20, (after - before) / Math.max(1, connections));
    }

    private void wake(PollLoop loop) throws IOException {
        List<Long> single = new ArrayList<>();
        for (int partition = 1; partition <= alone; partition++) {
            single.addAll(loop.wake(partition, 1, PATIENCE));
        }
        surroundings.line("put to answer    " + described(single) + ", each alone at its partition");
        List<Long> all = loop.wake(0, connections - alone, PATIENCE);
        surroundings.line("put to answer    " + described(all) + ", all woken by one put");
    }

    private static String described(List<Long> nanos) {
        if (nanos.isEmpty()) {
            return "no answer";
        }
        List<Long> sorted = nanos.stream().sorted().toList();
        return "P50 %.2f ms, P99 %.2f ms, most %.2f ms of %d"
                .formatted(at(sorted, 0.50), at(sorted, 0.99), at(sorted, 1), sorted.size());
    }

    private static double at(List<Long> sorted, double share) {
        int index = (int) Math.ceil(share * sorted.size()) - 1;
        return sorted.get(Math.max(0, index)) / 1e6;
    }
}
