// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.launcher.local.ServerState;
import org.talos.server.Main;

/**
 * Measures the peaceful user alone, then under attack, and the server's heap before and after.
 *
 * <p>Confined: the main thread.
 */
final class HostileRun {
    private static final String REQUEST_MEMORY = "talos_http_request_memory_bytes";
    private static final int FILLING_BYTES = 2_000;
    private static final Duration LEAST_FILLING = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(150);
    private static final Duration LEAST_REST = Duration.ofSeconds(2);
    private static final long POLL_MILLIS = 200;

    private final HostileSettings settings;
    private final Path reports;

    HostileRun(HostileSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    HostileFigures measure() throws IOException, TalosClientException, CommandException, InterruptedException {
        try (MeasuredServer server = MeasuredServer.start(
                Main.class,
                settings.serverOptions(),
                HostileSettings.SERVER,
                settings.work(),
                reports.resolve("server.log"))) {
            return measure(server);
        }
    }

    /** A user and the topic that is his. */
    private record Owner(Credential credential, TopicDescription topic) {}

    private static Owner owner(MeasuredServer server, String name, int partitions)
            throws TalosClientException, CommandException {
        TalosEndpoint administrator = server.endpoint();
        NewCredential key =
                new TalosAdmin(new TalosClient(administrator).once()).addUser(name, false, List.of(), List.of());
        TalosEndpoint own = new TalosEndpoint(administrator.uri(), key.accessKey(), key.secretKey());
        TopicDescription topic = new TalosAdmin(new TalosClient(own).once()).createTopic(NewTopic.of(name, partitions));
        return new Owner(new Credential(key.accessKey(), key.secretKey()), topic);
    }

    private HostileFigures measure(MeasuredServer server)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        Owner peaceful = owner(server, "peaceful", settings.partitions());
        Owner hostile = owner(server, "hostile", settings.hostilePartitions());
        fill(server, hostile);
        long stored = stored(server, peaceful);
        LoadResult alone = puts(server, peaceful, settings.warmUp(), settings.alone());
        long heldBefore = rest(server);
        ServerState before = server.state();
        URI uri = server.uri();
        Victim victim = new Victim(
                uri.getHost(),
                uri.getPort(),
                hostile.credential.keyId(),
                hostile.credential.secret(),
                hostile.topic.name(),
                hostile.topic.resourceName(),
                hostile.topic.partitions(),
                settings.seed());
        LoadResult attacked;
        Map<Attack, Tally.Counts> attacks;
        try (HostileLoad load = HostileLoad.begin(victim, reports.resolve("hostile.log"))) {
            attacked = puts(server, peaceful, Duration.ZERO, settings.attacked());
            attacks = load.end();
        }
        if (!server.isAlive()) {
            return new HostileFigures(alone, attacked, before, Optional.empty(), 0, attacks, 0);
        }
        long held = rest(server) - heldBefore;
        ServerState after = server.state();
        return new HostileFigures(
                alone, attacked, before, Optional.of(after), held, attacks, stored(server, peaceful) - stored);
    }

    /**
     * Fills what a server keeps in memory of its newest puts, so that it is as full before the attack as behind it: the
     * tail cache, and in each partition the puts by which repetitions are known.
     */
    private void fill(MeasuredServer server, Owner owner) throws IOException {
        LoadResult filled = ClosedLoop.run(
                address(server),
                SignedPuts.toAll(owner.topic, authority(server), owner.credential, FILLING_BYTES, settings.seed()),
                AnswerCheck.THRIFT_RESULT,
                Duration.ZERO,
                LEAST_FILLING,
                settings.filling() * owner.topic.partitions(),
                Window.NOBODY);
        if (filled.failed() > 0) {
            throw new IOException(
                    "the caches can't be filled: " + filled.firstFailure().orElse(""));
        }
    }

    private LoadResult puts(MeasuredServer server, Owner owner, Duration warmUp, Duration measured) throws IOException {
        return ClosedLoop.run(
                address(server),
                SignedPuts.toAll(owner.topic, authority(server), owner.credential, settings.size(), settings.seed()),
                AnswerCheck.THRIFT_RESULT,
                WarmUp.lasting(warmUp),
                measured,
                Window.NOBODY,
                settings.rate());
    }

    private static long stored(MeasuredServer server, Owner owner) throws TalosClientException, CommandException {
        return new TalosAdmin(new TalosClient(server.endpoint()).once())
                .offsets(owner.topic).stream().mapToLong(PartitionOffsets::end).sum();
    }

    /** Waits until requests hold no memory any more; returns what they hold still. */
    private static long rest(MeasuredServer server) throws IOException, InterruptedException {
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(LEAST_REST.toNanos());
        double held = server.metrics().value(REQUEST_MEMORY);
        while (held > 0 && System.nanoTime() - start < LONGEST_REST.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            held = server.metrics().value(REQUEST_MEMORY);
        }
        return (long) held;
    }

    private static InetSocketAddress address(MeasuredServer server) {
        return new InetSocketAddress(server.uri().getHost(), server.uri().getPort());
    }

    private static String authority(MeasuredServer server) {
        return server.uri().getHost() + ":" + server.uri().getPort();
    }
}
