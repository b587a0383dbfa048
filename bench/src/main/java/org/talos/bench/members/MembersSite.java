// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MeasuredServers;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.server.Main;

/**
 * The servers of a run: one with its data in a directory, or several on a development cluster, which they start with.
 *
 * <p>Confined: the main thread.
 */
final class MembersSite implements AutoCloseable {
    private static final String TOPIC = "members";
    private static final String WRITTEN = "write_bytes: ";

    private final MeasuredServers servers;
    private final List<CompileTime> compilers;
    private final Closing closing;

    /** Ends everything that was started. */
    private interface Closing {
        void close() throws IOException;
    }

    private MembersSite(MeasuredServers servers, Closing closing) {
        this.servers = servers;
        this.closing = closing;
        compilers =
                servers.each().stream().map(each -> CompileTime.of(each.pid())).toList();
    }

    /** Starts a server alone. */
    static MembersSite alone(MembersSettings settings, Path folder) throws IOException {
        MeasuredServers server = MeasuredServers.of(MeasuredServer.start(
                Main.class,
                settings.setup().options(),
                settings.environment(),
                settings.setup().work(),
                folder.resolve("server.log")));
        return new MembersSite(server, server::close);
    }

    /**
     * Starts several servers.
     *
     * @param daemons that they run on, which end with this site
     */
    static MembersSite onCluster(MembersSettings settings, ClusterUnderLoad daemons)
            throws IOException, CommandException {
        try {
            MeasuredServers all = daemons.servers("servers", settings.servers(), settings.environment());
            return new MembersSite(all, () -> {
                try {
                    all.close();
                } finally {
                    daemons.close();
                }
            });
        } catch (IOException | CommandException | RuntimeException e) {
            daemons.close();
            throw e;
        }
    }

    /** Creates the topic of all groups, and waits until its partitions are served. */
    TopicDescription topic(int partitions)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TopicDescription topic = servers.get(0).topic(TOPIC, partitions);
        if (servers.each().size() > 1) {
            var unused = servers.owners(topic);
        }
        return topic;
    }

    /** Returns the first server and the administrator of all. */
    TalosEndpoint endpoint() throws CommandException {
        return servers.endpoint();
    }

    /** Returns where the servers listen. */
    List<URI> uris() {
        return servers.uris();
    }

    /** Creates a window that measures these servers. */
    CostsWindow window() {
        return new CostsWindow(servers, this::writtenBytes);
    }

    /** Returns the processor seconds of the servers' compilers; empty where that is not known. */
    OptionalDouble compileSeconds() {
        double all = 0;
        for (CompileTime each : compilers) {
            OptionalDouble seconds = each.seconds();
            if (seconds.isEmpty()) {
                return seconds;
            }
            all += seconds.getAsDouble();
        }
        return OptionalDouble.of(all);
    }

    /** Returns the bytes that are live in the heaps of all servers, after a full collection of each. */
    long heapBytes() throws IOException {
        long all = 0;
        for (MeasuredServer each : servers.each()) {
            all += each.state().heapBytes();
        }
        return all;
    }

    /**
     * Returns the bytes that the processes have written to disks, as Linux counts them; NaN where that is not known.
     */
    private double writtenBytes() {
        double all = 0;
        for (MeasuredServer each : servers.each()) {
            all += written(Path.of("/proc", Long.toString(each.pid()), "io"));
        }
        return all;
    }

    private static double written(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(WRITTEN))
                    .mapToDouble(line -> Double.parseDouble(line.substring(WRITTEN.length())))
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN; // the system is not Linux, or does not show this to the user
        }
    }

    @Override
    public void close() throws IOException {
        closing.close();
    }
}
