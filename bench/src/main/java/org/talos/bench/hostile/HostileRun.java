// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.bench.engine.LoadJvm;
import org.talos.bench.engine.TopicOwner;
import org.talos.bench.hostile.HostileFigures.Others;
import org.talos.bench.hostile.known.KnownMessages;
import org.talos.bench.hostile.known.KnownReads;
import org.talos.bench.hostile.known.SignIns;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.Window;
import org.talos.bench.tls.ServerKey;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.local.ServerState;
import org.talos.server.Main;

/**
 * Measures the peaceful user alone, then under attack, and the server's heap before and after.
 *
 * <p>Confined: the main thread.
 */
final class HostileRun {
    private static final Logger LOG = LoggerFactory.getLogger(HostileRun.class);
    private static final String SECRET = "Kq7zVw3Rt9XbNc5Y"; // no text of a server or an attacker holds it
    private static final String REQUEST_MEMORY = "talos_http_request_memory_bytes";
    private static final int FILLING_BYTES = 2_000;
    private static final Duration LEAST_FILLING = Duration.ofSeconds(1);
    private static final Duration LONGEST_REST = Duration.ofSeconds(150);
    private static final Duration LEAST_REST = Duration.ofSeconds(2);
    private static final long POLL_MILLIS = 200;

    private final HostileSettings settings;
    private final String heap;
    private final String label;
    private final Path reports;

    /**
     * A run that has not begun.
     *
     * @param heap of the server, as after {@code -Xmx}
     * @param label of the run in the report
     */
    HostileRun(HostileSettings settings, String heap, String label, Path reports) {
        this.settings = settings;
        this.heap = heap;
        this.label = label;
        this.reports = reports;
    }

    HostileFigures measure() throws IOException, TalosClientException, CommandException, InterruptedException {
        Files.createDirectories(settings.setup().work());
        try (ServerKey key = ServerKey.make(settings.setup().work());
                MeasuredServer server = start(Map.of(), "server");
                MeasuredServer withTls = start(key.settings(), "tls-server")) {
            return measure(server, withTls, key.trusting().getSocketFactory());
        }
    }

    private MeasuredServer start(Map<String, String> more, String name) throws IOException {
        Map<String, String> all = new HashMap<>(HostileSettings.SERVER);
        all.putAll(more);
        Path log = reports.resolve(HostileFigures.logOf(name, label));
        return MeasuredServer.start(
                Main.class, settings.jvm(heap), all, settings.setup().work(), log);
    }

    private HostileFigures measure(MeasuredServer server, MeasuredServer withTls, SocketFactory tls)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        TopicOwner peaceful =
                TopicOwner.create(server, "peaceful", settings.peaceful().partitions());
        TopicOwner hostile =
                TopicOwner.create(server, "hostile", settings.hostile().partitions());
        KnownMessages known = new KnownMessages(
                SECRET,
                TopicOwner.topic(server, peaceful.credential(), "known", 2).name(),
                peaceful.credential());
        Victim victim = victim(server, withTls, hostile, TopicOwner.create(server, "large", 2));
        ReadAttacks.prepare(victim);
        fill(server, hostile);
        long stored = stored(server, peaceful);
        try (KnownReads reads = KnownReads.begin(server.address(), known);
                SignIns clear = SignIns.begin(SocketFactory.getDefault(), server.address(), peaceful.credential());
                SignIns overTls = SignIns.begin(tls, withTls.address(), withTls.credential())) {
            LoadResult alone = puts(
                    server,
                    peaceful,
                    settings.times().warmUp(),
                    settings.times().alone());
            long heldBefore = server.isAlive() ? rest(server) : 0;
            ServerState before = server.state();
            UnderAttack attacked = attack(server, peaceful, victim);
            Others others =
                    new Others(reads.end(), Map.of("clear", clear.end(), "TLS", overTls.end()), withTls.isAlive());
            boolean alive = server.isAlive();
            long held = alive ? rest(server) - heldBefore : 0;
            Optional<ServerState> after = alive ? Optional.of(server.state()) : Optional.empty();
            long more = alive ? stored(server, peaceful) - stored : 0;
            return new HostileFigures(
                    settings,
                    new HostileFigures.Attacked(heap, label, before, after, restarts(server)),
                    new HostileFigures.Peaceful(alone, attacked.puts(), more),
                    held,
                    attacked.attacks(),
                    others);
        }
    }

    /** The puts of the peaceful user during the attacks, and the attacks. Immutable. */
    private record UnderAttack(LoadResult puts, Map<Attack, Tally.Counts> attacks) {}

    private UnderAttack attack(MeasuredServer server, TopicOwner peaceful, Victim victim)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        Path log = reports.resolve(HostileFigures.logOf("hostile", label));
        try (LoadJvm load = LoadJvm.start(HostileProcess.class, "512m", victim, log)) {
            LoadResult puts =
                    puts(server, peaceful, Duration.ZERO, settings.times().attacked());
            return new UnderAttack(puts, load.end(new TypeReference<>() {}));
        }
    }

    private Victim victim(MeasuredServer server, MeasuredServer withTls, TopicOwner hostile, TopicOwner large)
            throws IOException {
        return new Victim(
                server.uri().getHost(),
                server.uri().getPort(),
                withTls.uri().getPort(),
                own(hostile),
                own(large),
                PublicPage.path(server.uri()),
                SECRET,
                settings.hostile().attacks(),
                settings.hostile().keyless(),
                settings.seed());
    }

    private static Victim.OwnTopic own(TopicOwner owner) {
        TopicDescription topic = owner.topic();
        return new Victim.OwnTopic(
                topic.name(),
                topic.resourceName(),
                topic.partitions(),
                owner.credential().keyId(),
                owner.credential().secret());
    }

    /** Returns whether the server starts again with what it has stored and the same heap. */
    private static boolean restarts(MeasuredServer server) {
        try {
            server.restart();
            return true;
        } catch (IOException e) {
            LOG.warn("the server does not start again", e);
            return false;
        }
    }

    /**
     * Fills what a server keeps in memory of its newest puts, so that it is as full before the attack as behind it: the
     * tail cache, and in each partition the puts by which repetitions are known.
     */
    private void fill(MeasuredServer server, TopicOwner owner) throws IOException {
        LoadResult filled = ClosedLoop.run(
                server.address(),
                SignedPuts.toAll(owner.topic(), server.authority(), owner.credential(), FILLING_BYTES, settings.seed()),
                AnswerCheck.THRIFT_RESULT,
                Duration.ZERO,
                LEAST_FILLING,
                settings.hostile().filling() * owner.topic().partitions(),
                Window.NOBODY);
        if (filled.failed() > 0) {
            throw new IOException(
                    "the caches cannot be filled: " + filled.firstFailure().orElse(""));
        }
    }

    private LoadResult puts(MeasuredServer server, TopicOwner owner, Duration warmUp, Duration measured)
            throws IOException {
        HostileSettings.PeacefulUser user = settings.peaceful();
        return owner.put(server, user.size(), settings.seed(), warmUp, measured, user.rate());
    }

    private static long stored(MeasuredServer server, TopicOwner owner) throws TalosClientException, CommandException {
        return server.admin().offsets(owner.topic()).stream()
                .mapToLong(PartitionOffsets::endExclusive)
                .sum();
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
}
