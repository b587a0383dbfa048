// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.talos.server.boot.Build;
import org.talos.server.boot.HeapBounds;
import org.talos.server.boot.Membership;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.config.load.EffectiveConfig;
import org.talos.server.frontend.EnabledFrontEnds;
import org.talos.server.frontend.FrontEnds;
import org.talos.server.http.management.ManagementPort;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.JvmMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.seam.Seams;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFiles;

/**
 * One server, from its configuration to its ports. {@link StorageAssembly}, {@link PartitionAssembly}, and
 * {@link ServiceAssembly} put its parts together.
 *
 * <p>Thread-safe.
 */
public final class TalosServer implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String REPLACED =
            "another process was started with this server's id (cluster.serverId) and has its partitions";

    private final Closing closing = new Closing();
    private final CompletableFuture<Optional<String>> end = new CompletableFuture<>();
    private final Readiness readiness;
    private final MemoryBudget budget; // state that requests leave in the server
    private final FrontEnds frontEnds;
    private @Nullable ManagementPort management; // if it is enabled

    private TalosServer(ServerConfig config, Seams seams, Clocks clocks)
            throws IOException, MetadataException, StorageException {
        readiness = new Readiness(clocks.ticker());
        EnabledFrontEnds enabled = enabled(config);
        try {
            ServerConfig fitted = HeapBounds.ofThisJvm().fitted(config);
            budget = closing.add(MemoryBudget.withFloors(fitted.http().maxRequestMemoryBytes())); // closed last
            Metrics metrics = openManagement(fitted, clocks.ticker());
            StorageAssembly.Opened opened =
                    new StorageAssembly(fitted, seams, clocks, closing, readiness, budget).open(metrics);
            frontEnds = new ServiceAssembly(opened, seams, enabled, closing)
                    .serve(() -> endOnceReplaced(opened.membership()));
        } catch (IOException | MetadataException | StorageException | RuntimeException | Error e) {
            closing.close();
            throw e;
        }
    }

    private static EnabledFrontEnds enabled(ServerConfig config) {
        try {
            return EnabledFrontEnds.of(config.frontEnds());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Starts a server; it serves when this returns.
     *
     * @throws IllegalArgumentException the configuration has a front end that is not on the class path, or that refuses
     *     its settings
     * @throws IOException a port or a key file
     * @throws MetadataException the metadata cannot be opened, or another server has it
     * @throws StorageException the logs cannot be opened, are damaged, or another server has them
     */
    public static TalosServer start(ServerConfig config) throws IOException, MetadataException, StorageException {
        return start(config, Seams.shipped());
    }

    /** Like {@link #start(ServerConfig)}, with parts of a test or a measurement in place of its own. */
    public static TalosServer start(ServerConfig config, Seams seams)
            throws IOException, MetadataException, StorageException {
        return new TalosServer(config, seams, new Clocks(SystemTime.ticker(), SystemTime.wallClock()));
    }

    /**
     * Like {@link #start(ServerConfig)}, with other clocks than the machine's and with journals whose writes may fail,
     * for tests.
     *
     * @param clock the server's time of day
     * @param ticker the monotonic clock, which measures durations
     * @param journals given the files of a journal, returns those for it to use
     */
    public static TalosServer start(
            ServerConfig config, InstantSource clock, Ticker ticker, UnaryOperator<JournalFiles> journals)
            throws IOException, MetadataException, StorageException {
        return new TalosServer(config, Seams.shipped().withJournals(journals), new Clocks(ticker, clock));
    }

    /**
     * Starts a server for the tests of a program, in its JVM: at a free port of 127.0.0.1 ({@link #uri}), with all that
     * it keeps in a directory, where it writes its administrator's key to {@code admin.credentials}.
     *
     * @param directory made if it is missing; may be deleted once the server is closed
     * @throws IOException the directory cannot be written
     * @throws MetadataException the metadata cannot be opened, or another server has it
     * @throws StorageException the logs cannot be opened, or another server has them
     */
    public static TalosServer embedded(Path directory) throws IOException, MetadataException, StorageException {
        try {
            return start(ConfigLoader.load(Map.of(
                    "TALOS_DATADIRECTORY", directory.toString(),
                    "TALOS_HTTP_HOST", LOOPBACK,
                    "TALOS_HTTP_PORT", "0",
                    "TALOS_MANAGEMENT_ENABLED", "false",
                    "TALOS_METRICSLOGINTERVAL", "0s",
                    "TALOS_SERVICE_SHUTDOWNGRACE", "2s"))); // clients' idle connections hold up a close
        } catch (ConfigException e) {
            throw new IllegalArgumentException("directory: " + e.getMessage(), e);
        }
    }

    private void endOnceReplaced(Membership membership) {
        readiness.watchEnd("server-id", () -> end.getNow(Optional.empty()));
        var unused = membership.replaced().thenRun(() -> end.complete(Optional.of(REPLACED)));
    }

    /** Opened first and closed last, so that operators see a server that is still opening its partitions. */
    private Metrics openManagement(ServerConfig config, Ticker ticker) throws IOException {
        Metrics metrics = new Metrics(ticker);
        if (!config.management().enabled()) {
            return metrics;
        }
        JvmMetrics.add(metrics);
        ManagementPort opened = closing.add(new ManagementPort(
                config.management(),
                config.http().limits(),
                Set.of(config.http().clientHost()),
                new ManagementPort.Shown(
                        new PrometheusText(metrics), readiness, Build.info(), EffectiveConfig.shown(config)),
                ticker));
        opened.start();
        management = opened;
        return metrics;
    }

    /** The management port, if there is one. */
    public OptionalInt managementPort() {
        ManagementPort opened = management;
        return opened == null ? OptionalInt.empty() : OptionalInt.of(opened.port());
    }

    /** The port that it listens on for HTTP. */
    public int port() {
        return frontEnds.address().port();
    }

    /** Returns the port that another front end listens on, if it is enabled. */
    public OptionalInt port(String frontEnd) {
        return frontEnds
                .find(frontEnd)
                .map(found -> OptionalInt.of(found.addresses().get(0).port()))
                .orElse(OptionalInt.empty());
    }

    /** Returns where an {@link #embedded} server listens. */
    public URI uri() {
        return URI.create("http://" + LOOPBACK + ":" + port());
    }

    /** Returns the memory in bytes that requests hold now. After {@link #close} it is none, or some was forgotten. */
    public long reservedBytes() {
        return budget.used();
    }

    /** Returns whether it can do its work once more; if not, another process has to take its place. */
    public boolean isAlive() {
        return readiness.ends().isEmpty();
    }

    /**
     * Waits until the server has been closed, or has to be, as another process has its id in the cluster.
     *
     * @return why it has to be closed; empty if it has been closed
     */
    public Optional<String> awaitEnd() throws InterruptedException {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails it", e);
        }
    }

    /** Refuses new requests, answers or expires those in flight, and writes everything to the disk. */
    @Override
    public void close() {
        closing.close();
        end.complete(Optional.empty());
    }
}
