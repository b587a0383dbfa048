// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.talos.bench.variant.Variants;
import org.talos.server.TalosServer;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import org.talos.server.seam.Seams;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;

/** Runs the server with a store as slow as HDFS; configured by the environment. Confined: the main thread. */
public final class DelayedServer {
    /** Environment variable: whether each append compresses what it was given, as a server on whose path that is. */
    static final String GZIP = "BENCH_GZIP";

    /** Environment variable: how many times as long as was measured everything takes. */
    static final String SLOWER = "BENCH_SLOWER";

    /** Environment variable: a file with the {@link StoreKind}, which may change; without it, as slow as HDFS. */
    static final String STORE = "BENCH_STORE";

    private DelayedServer() {}

    private static ToLongFunction<LogId> appends(@Nullable String file, Delays hflush) {
        return file == null ? log -> hflush.draw() : new SwitchedDelays(Path.of(file), hflush, System::nanoTime)::draw;
    }

    /** Runs until it is stopped. */
    public static void main(String[] arguments)
            throws IOException, ConfigException, MetadataException, StorageException, InterruptedException {
        ServerConfig config = ConfigLoader.load(System.getenv());
        boolean gzip = Boolean.parseBoolean(System.getenv(GZIP));
        double slower = Double.parseDouble(System.getenv().getOrDefault(SLOWER, "1"));
        ToLongFunction<LogId> appends =
                appends(System.getenv(STORE), Delays.hflush().times(slower));
        Delays reads = Delays.read().times(slower);
        Seams seams =
                Variants.of(System.getenv()).withStore(store -> new DelayedStore(store, appends, reads::draw, gzip));
        TalosServer server = TalosServer.start(config, seams);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
        System.out.println("talos: serving " + config.http().address(server.port()));
        var unused = server.awaitEnd();
    }
}
