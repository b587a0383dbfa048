// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import org.talos.server.Main;
import org.talos.server.TalosServer;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

/**
 * Runs a server whose clocks are wrong, and whose journals fail, as other processes say by files; configured by the
 * environment. Confined: the main thread.
 */
public final class FaultyServer {
    /** Environment variable: the file that says by how many seconds the clock is wrong. */
    public static final String SHIFT = "BENCH_SHIFT";

    /** Environment variable: the file that says for how long the machine was suspended. */
    public static final String SUSPENDED = "BENCH_SUSPENDED";

    /** Environment variable: the file that says what happens to the writes of journals. */
    public static final String JOURNALS = "BENCH_JOURNALS";

    private FaultyServer() {}

    /** Runs until it is stopped. */
    public static void main(String[] arguments)
            throws IOException, ConfigException, MetadataException, StorageException, InterruptedException {
        ServerConfig config = ConfigLoader.load(System.getenv());
        FaultyJournals journals = new FaultyJournals(file(JOURNALS), System::nanoTime);
        TalosServer server = TalosServer.start(
                config,
                new ShiftedClock(file(SHIFT), InstantSource.system(), System::nanoTime),
                new SuspendedTicker(file(SUSPENDED), System::nanoTime),
                journals::around);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
        System.out.println("talos: serving " + config.http().address(server.port()));
        server.awaitEnd().ifPresent(replaced -> System.exit(Main.WRONG_CONFIGURATION));
    }

    private static Path file(String variable) {
        return Path.of(Objects.requireNonNull(System.getenv(variable), variable));
    }
}
