// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.WarmUp;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * A server with one number of put workers, whose store changes on request, and the load on it.
 *
 * <p>Confined: the main thread.
 */
final class TunedServer implements AutoCloseable {
    static final String AUTO = "auto";
    /**
     * New objects have so much room that fewer than one put in a hundred meets the collector: P99 is to be the
     * workers'.
     */
    static final List<String> JVM = Stream.concat(MeasuredServer.withHeap("2g").stream(), Stream.of("-Xmn1500m"))
            .toList();

    private static final String WORKERS = "talos_dispatch_workers{pool=\"put\"}";

    private final String workers;
    private final MeasuredServer server;
    private final Path store;
    private final List<SignedPuts> puts;

    private TunedServer(String workers, MeasuredServer server, Path store)
            throws CommandException, TalosClientException {
        this.workers = workers;
        this.server = server;
        this.store = store;
        puts = server.puts(server.topic("capacity", AutoCapacitySettings.KEYS), AutoCapacitySettings.MESSAGE_BYTES, 1);
    }

    /**
     * Starts one, with the local store.
     *
     * @param workers a number, or {@link #AUTO}
     * @param folder for its log and for what names its store
     */
    static TunedServer start(String workers, Pinning pinning, Path work, Path folder)
            throws IOException, CommandException, TalosClientException {
        Path store = folder.resolve("store-" + workers + ".txt").toAbsolutePath();
        Files.writeString(store, StoreKind.LOCAL.label());
        Map<String, String> settings = Map.of(
                DelayedServer.STORE,
                store.toString(),
                "DISPATCH_PUT_WORKERS",
                workers,
                "LOG_DURABILITY",
                "flush",
                "LOG_SEGMENTBYTES",
                "4MiB", // and soon deleted: a fast server would fill the disk
                "LOG_RETENTIONBYTESPERPARTITION",
                "4MiB",
                "LOG_RETENTIONINTERVAL",
                "2s",
                "LOG_TAILCACHEBYTES",
                "0");
        MeasuredServer server = MeasuredServer.start(
                pinning.before(), DelayedServer.class, JVM, settings, work, folder.resolve(workers + ".log"));
        try {
            return new TunedServer(workers, server, store);
        } catch (CommandException | TalosClientException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    String workers() {
        return workers;
    }

    /** Its store behaves like this within a tenth of a second. */
    void become(StoreKind kind) {
        try {
            Files.writeString(store, kind.label());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts load on it until its compilers have little to do, for {@code longest} at most, and measures it then. */
    Measure warmUp(Duration longest, Duration measured) throws IOException {
        return measure("warm-up " + workers, 1, QuietCompiler.of(server, longest), measured);
    }

    /** Measures it as it is, after some load. */
    Measure measure(String caseName, int round, Duration settling, Duration measured) throws IOException {
        return measure(caseName, round, WarmUp.lasting(settling), measured);
    }

    /** Changes the store under load, and measures after more of it. */
    Measure measureChange(String caseName, int round, StoreKind to, AutoCapacitySettings settings) throws IOException {
        long change = settings.settling().before().toNanos();
        long end = change + settings.settling().changing().toNanos();
        AtomicBoolean changed = new AtomicBoolean();
        WarmUp warmUp = nanos -> {
            if (nanos >= change && changed.compareAndSet(false, true)) {
                become(to);
            }
            return nanos >= end;
        };
        return measure(caseName, round, warmUp, settings.measured());
    }

    private Measure measure(String caseName, int round, WarmUp warmUp, Duration measured) throws IOException {
        Observed observed = new Observed(server);
        LoadResult result = new PutGetLoad(server.uri(), warmUp, measured)
                .add("put", puts, 0)
                .runOne(observed);
        SortedMap<String, Double> figures = new TreeMap<>(observed.figures("put", result));
        figures.put("workers", observed.gauge(WORKERS));
        return result.measure(caseName, round, "put", figures);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
