// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import org.talos.server.TalosServer;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

/** Runs a server whose clock is shifted from outside; configured by the environment. Confined: the main thread. */
public final class ShiftedServer {
    /** Environment variable: the file that says by how many seconds the clock is wrong. */
    static final String SHIFT = "BENCH_SHIFT";

    private ShiftedServer() {}

    /** Runs until it is stopped. */
    public static void main(String[] arguments)
            throws IOException, ConfigException, MetadataException, StorageException, InterruptedException {
        ServerConfig config = ConfigLoader.load(System.getenv());
        Path shift = Path.of(Objects.requireNonNull(System.getenv(SHIFT), SHIFT));
        TalosServer server =
                TalosServer.start(config, new ShiftedClock(shift, InstantSource.system(), System::nanoTime));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
        System.out.println("talos: serving http://" + config.http().host() + ":" + server.port());
        server.awaitStop();
    }
}
