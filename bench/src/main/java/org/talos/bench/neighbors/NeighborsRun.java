// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.WarmUp;
import org.talos.bench.load.Window;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.server.Main;

/**
 * Measures the good user's puts alone, then beside each neighbor in turn, on one server.
 *
 * <p>Confined: the main thread.
 */
final class NeighborsRun {
    private final NeighborsSettings settings;
    private final Path reports;

    NeighborsRun(NeighborsSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    /** A user and the user's topic. Immutable. */
    private record Owner(Credential credential, TopicDescription topic) {}

    NeighborsFigures measure() throws IOException, TalosClientException, CommandException {
        try (MeasuredServer server = MeasuredServer.start(
                Main.class,
                NeighborsSettings.SERVER_OPTIONS,
                NeighborsSettings.SERVER,
                settings.work(),
                reports.resolve("server.log"))) {
            Owner good = owner(server, "good", NeighborsSettings.GOOD_PARTITIONS);
            Owner neighbor = owner(server, "neighbor", NeighborsSettings.NEIGHBORS_PARTITIONS);
            LoadResult alone = puts(server, good, settings.warmUp());
            Map<Neighbor, NeighborsFigures.Beside> beside = new EnumMap<>(Neighbor.class);
            for (Neighbor each : settings.neighbors()) {
                beside.put(each, beside(server, good, neighbor, each));
            }
            return new NeighborsFigures(alone, beside);
        }
    }

    private static Owner owner(MeasuredServer server, String name, int partitions)
            throws TalosClientException, CommandException {
        TalosEndpoint administrator = server.endpoint();
        NewCredential key =
                new TalosAdmin(new TalosClient(administrator).once()).addUser(name, false, List.of(), List.of());
        TalosEndpoint own = new TalosEndpoint(administrator.uri(), key.accessKey(), key.secretKey());
        TopicDescription topic = new TalosAdmin(new TalosClient(own).once()).createTopic(NewTopic.of(name, partitions));
        return new Owner(new Credential(key.accessKey(), key.secretKey()), topic);
    }

    private NeighborsFigures.Beside beside(MeasuredServer server, Owner good, Owner neighbor, Neighbor kind)
            throws IOException {
        URI uri = server.uri();
        NeighborTarget target = new NeighborTarget(
                uri.getHost(),
                uri.getPort(),
                neighbor.credential.keyId(),
                neighbor.credential.secret(),
                neighbor.topic.name(),
                neighbor.topic.partitions(),
                kind);
        long begin = System.nanoTime();
        try (NeighborProcess process = NeighborProcess.start(target, reports.resolve("neighbor.log"))) {
            LoadResult puts = puts(server, good, settings.warmUp());
            double seconds = (System.nanoTime() - begin) / 1e9;
            return new NeighborsFigures.Beside(puts, process.end() / seconds);
        }
    }

    private LoadResult puts(MeasuredServer server, Owner owner, Duration warmUp) throws IOException {
        URI uri = server.uri();
        return ClosedLoop.run(
                new InetSocketAddress(uri.getHost(), uri.getPort()),
                SignedPuts.toAll(
                        owner.topic, uri.getHost() + ":" + uri.getPort(), owner.credential, settings.size(), 1),
                AnswerCheck.THRIFT_RESULT,
                WarmUp.lasting(warmUp),
                settings.measured(),
                Window.NOBODY,
                settings.rate());
    }
}
