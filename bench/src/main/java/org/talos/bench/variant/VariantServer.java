// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import java.io.IOException;
import org.talos.server.TalosServer;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

/**
 * Runs the server with variants in place of its own parts; the environment names them ({@link Variants}). Confined: the
 * main thread.
 */
public final class VariantServer {
    private VariantServer() {}

    /** Runs until it is stopped. */
    public static void main(String[] arguments)
            throws IOException, ConfigException, MetadataException, StorageException, InterruptedException {
        ServerConfig config = ConfigLoader.load(System.getenv());
        TalosServer server = TalosServer.start(config, Variants.of(System.getenv()));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
        System.out.println("talos: serving " + config.http().address(server.port()));
        var unused = server.awaitEnd();
    }
}
