// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.devcluster;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.devcluster.DevCluster;
import org.talos.launcher.local.ServerCertificates;
import org.talos.launcher.local.SharedKeys;
import org.talos.server.auth.UserAdmin;

/**
 * Talos servers as processes on this machine, which share one development cluster and continue when the command has
 * ended.
 *
 * <p>Confined: the main thread.
 */
public final class LocalServers {
    private final Path directory;

    /** Creates the servers of a folder; starts nothing. */
    public LocalServers(Path directory) {
        this.directory = directory;
    }

    /** Returns where the first administrator's credentials are, once a server was started. */
    public Path credentials() {
        return server(1).data().resolve(UserAdmin.FIRST_CREDENTIALS_FILE);
    }

    private LocalServer server(int number) {
        return new LocalServer(directory.resolve("server-" + number), number);
    }

    /** Returns all servers that were ever started. */
    public List<LocalServer> all() throws IOException {
        List<LocalServer> all = new ArrayList<>();
        for (int number = 1; Files.isDirectory(directory.resolve("server-" + number)); number++) {
            all.add(server(number));
        }
        return all;
    }

    /** Returns the addresses of the running servers. */
    public List<URI> endpoints() throws IOException {
        List<URI> endpoints = new ArrayList<>();
        for (LocalServer each : all()) {
            if (each.process().isPresent()) {
                endpoints.add(each.uri());
            }
        }
        return endpoints;
    }

    /**
     * Starts those of the first servers, up to this number, that do not run, and returns when all of them serve. The
     * very first creates the key of the users' secrets, which the other servers get.
     *
     * @param tls whether the servers use mutual TLS with each other; servers of this folder then always do
     */
    public void start(int count, boolean tls, DevCluster cluster) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path key = SharedKeys.transferKey(directory);
        Optional<ServerCertificates> certificates = tls || ServerCertificates.areIn(directory)
                ? Optional.of(ServerCertificates.make(directory, List.of("127.0.0.1")))
                : Optional.empty();
        List<LocalServer> wanted = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            LocalServer server = server(number);
            server.configure(cluster, key, certificates);
            if (number > 1 && !Files.exists(server.data().resolve(UserAdmin.KEY_FILE))) {
                wanted.get(0).awaitReady(); // its first start creates the copied files
                SharedKeys.share(wanted.get(0).data(), server.data());
            }
            if (server.process().isEmpty()) {
                server.start();
            }
            wanted.add(server);
        }
        for (LocalServer each : wanted) {
            each.awaitReady();
        }
    }

    /** Stops all running servers; their data stays. */
    public void stop() throws IOException, InterruptedException {
        for (LocalServer each : all()) {
            each.stop();
        }
    }
}
