// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.devcluster;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus;
import org.talos.devcluster.DaemonStatus.State;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.launcher.local.DaemonJars;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/**
 * HDFS, ZooKeeper and HBase on this machine, which continue when the command has ended.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "devcluster",
        description = "Run HDFS, ZooKeeper and HBase on this machine, to try out or test a server on them. For "
                + "development only: it has no security, and one disk.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class DevClusterCommand {
    private static final int MOST_SERVERS = 9;
    private static final String ROW = "%-15s %8s %6s  %-9s %s";

    private final CommandContext context;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "Where everything of it lies. Default: data/devcluster/ of this project")
    private @Nullable Path directory;

    /** Creates the command. */
    public DevClusterCommand(CommandContext context) {
        this.context = context;
    }

    @Command(
            description = "Start what does not run yet, make what servers need in it, and return when all of it works: "
                    + "in about half a minute.",
            mixinStandardHelpOptions = true)
    void up(
            @Option(names = "--hdfs-only", description = "NameNode and DataNodes, without ZooKeeper and HBase")
                    boolean hdfsOnly,
            @Option(
                            names = "--first-port",
                            paramLabel = "PORT",
                            description = "Take the free ports from here on. Default: those it had before, else any")
                    Optional<Integer> firstPort,
            @Option(
                            names = "--servers",
                            paramLabel = "N",
                            description = "Talos servers as well, so many, as one cluster. Default: none")
                    Optional<Integer> servers,
            @Option(names = "--tls", description = "Mutual TLS between Talos servers, from their start on") boolean tls,
            @Option(
                            names = "--zookeepers",
                            paramLabel = "N",
                            description = "Servers of ZooKeeper, 1 or 3: chosen once. Default: 1")
                    Optional<Integer> zooKeepers,
            @Option(names = "--sasl", description = "ZooKeeper knows the servers by a password: from then on, for good")
                    boolean sasl)
            throws CommandException, IOException, InterruptedException {
        DevCluster cluster = open(firstPort.orElse(0), zooKeepers.orElse(0));
        try {
            if (sasl) {
                cluster.secureZooKeeper();
            }
            boolean changed = cluster.start(hdfsOnly ? Parts.HDFS : Parts.ALL);
            // An administrator does this once for a real cluster. Here, the command does it.
            List<String> prepared =
                    ClusterSetUp.prepare(ConfigLoader.load(cluster.talosConfig(), context.environment()));
            context.line(changed ? "the development cluster is up" : "the development cluster was up already");
            for (String line : prepared) {
                context.line(line);
            }
        } catch (IOException | ConfigException | MetadataException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        context.line("HDFS           " + cluster.hdfs());
        context.line("configuration  " + cluster.clientConfig());
        context.line("a server       bin/talos server --config " + cluster.talosConfig());
        context.print(Files.readString(cluster.talosConfig()).indent(4));
        if (servers.isPresent()) {
            start(servers.get(), hdfsOnly, tls, cluster);
        }
    }

    private void start(int servers, boolean hdfsOnly, boolean tls, DevCluster cluster)
            throws CommandException, IOException, InterruptedException {
        if (hdfsOnly || servers < 1 || servers > MOST_SERVERS) {
            throw CommandException.usage("--servers: 1.." + MOST_SERVERS + ", and not with --hdfs-only");
        }
        try {
            servers().start(servers, tls, cluster);
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        for (LocalServer each : servers().all()) {
            context.line(String.format(Locale.ROOT, "%-14s %s", each.label(), each.uri()));
        }
        context.line("try them       bin/talos quickstart --once --endpoint "
                + servers().endpoints().stream().map(URI::toString).collect(Collectors.joining(","))
                + " --credentials '" + servers().credentials() + "'");
    }

    @Command(
            name = "restart-server",
            description = "Stop one of the Talos servers in its own way, start it again, and return when it is ready.",
            mixinStandardHelpOptions = true)
    void restartServer(@Parameters(paramLabel = "SERVER", description = "Such as server-2") String label)
            throws CommandException, IOException, InterruptedException {
        for (LocalServer each : servers().all()) {
            if (each.label().equals(label)) {
                try {
                    each.restart();
                } catch (IOException e) {
                    throw new CommandException(String.valueOf(e.getMessage()), e);
                }
                context.line(label + " is ready");
                return;
            }
        }
        throw CommandException.notThere("no " + label + ": bin/talos devcluster up --servers N");
    }

    private LocalServers servers() {
        return new LocalServers(place().resolve("servers"));
    }

    @Command(
            description = "Show each daemon. Ends with 0 when all that were started are up, else with 1.",
            mixinStandardHelpOptions = true)
    int status() throws CommandException, IOException, InterruptedException {
        List<DaemonStatus> started = existing().status().stream()
                .filter(each -> each.state() != State.STOPPED)
                .toList();
        if (started.isEmpty()) {
            context.line("the development cluster is down");
            return 1;
        }
        context.line(String.format(Locale.ROOT, ROW, "DAEMON", "PID", "PORT", "STATE", "LOG"));
        for (DaemonStatus each : started) {
            String pid = each.pid().isPresent() ? Long.toString(each.pid().getAsLong()) : "-";
            context.line(
                    String.format(Locale.ROOT, ROW, each.daemon().label(), pid, each.port(), each.state(), each.log()));
        }
        boolean up = started.stream().allMatch(each -> each.state() == State.UP);
        for (LocalServer each : servers().all()) {
            if (!each.isWanted()) {
                continue;
            }
            Optional<ProcessHandle> process = each.process();
            up &= process.isPresent();
            context.line(String.format(
                    Locale.ROOT,
                    ROW,
                    each.label(),
                    process.map(running -> Long.toString(running.pid())).orElse("-"),
                    each.uri().getPort(),
                    process.isPresent() ? State.UP : State.DEAD,
                    each.log()));
        }
        return up ? 0 : 1;
    }

    @Command(
            description = "Stop all daemons. Their data stays, and is available again after the next up.",
            mixinStandardHelpOptions = true)
    void down() throws CommandException, IOException, InterruptedException {
        DevCluster cluster = existing();
        servers().stop();
        cluster.stop();
        context.line("the development cluster is down");
    }

    @Command(
            description = "Print the last lines of a daemon's log, or where all logs are.",
            mixinStandardHelpOptions = true)
    void logs(
            @Parameters(paramLabel = "DAEMON", arity = "0..1", description = "Such as datanode-1")
                    Optional<String> daemon,
            @Option(names = "--lines", description = "How many. Default: 50") @Nullable Integer lines)
            throws CommandException, IOException, InterruptedException {
        List<DaemonStatus> all = existing().status();
        if (daemon.isEmpty()) {
            for (DaemonStatus each : all) {
                if (Files.exists(each.log())) {
                    context.line(
                            String.format(Locale.ROOT, "%-15s %s", each.daemon().label(), each.log()));
                }
            }
            for (LocalServer each : servers().all()) {
                context.line(String.format(Locale.ROOT, "%-15s %s", each.label(), each.log()));
            }
            return;
        }
        for (LocalServer each : servers().all()) {
            if (each.label().equals(daemon.get()) && Files.exists(each.log())) {
                print(each.log(), lines);
                return;
            }
        }
        Daemon wanted = Daemon.of(daemon.get())
                .orElseThrow(() -> CommandException.usage("DAEMON: " + daemon.get()
                        + " (expected: "
                        + Arrays.stream(Daemon.values()).map(Daemon::label).collect(Collectors.joining(", ")) + ")"));
        Path log = all.stream()
                .filter(each -> each.daemon() == wanted && Files.exists(each.log()))
                .map(DaemonStatus::log)
                .findFirst()
                .orElseThrow(() -> CommandException.notThere(wanted.label() + " has no log: it was never started"));
        print(log, lines);
    }

    private void print(Path log, @Nullable Integer lines) throws IOException {
        List<String> text = Files.readAllLines(log, StandardCharsets.UTF_8);
        for (String line : text.subList(Math.max(0, text.size() - (lines == null ? 50 : lines)), text.size())) {
            context.line(line);
        }
    }

    private Path place() {
        return directory == null ? context.home().resolve("data/devcluster") : directory;
    }

    private DevCluster existing() throws CommandException {
        if (!Files.isDirectory(place())) {
            throw CommandException.notThere("no development cluster in " + place() + ": bin/talos devcluster up");
        }
        return open(0, 0);
    }

    private DevCluster open(int firstPort, int zooKeepers) throws CommandException {
        Path jars = DaemonJars.of(context.home());
        try {
            return DevCluster.detached(place(), jars, firstPort, zooKeepers);
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }
}
