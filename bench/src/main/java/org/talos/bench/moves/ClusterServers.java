// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.cli.CommandException;
import org.talos.client.ClientConfig;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SharedKeys;

/**
 * The servers of one service.
 *
 * <p>Confined: the main thread.
 */
public final class ClusterServers implements AutoCloseable {
    private final ClusterUnderLoad.Service service;
    private final List<String> jvm;
    private final Path data;
    private final List<ClusterServer> all = new ArrayList<>();

    private ClusterServers(ClusterUnderLoad.Service service, List<String> jvm, Path data) {
        this.service = service;
        this.jvm = jvm;
        this.data = data;
    }

    /**
     * Starts them.
     *
     * @param jvm options of each
     * @param work where their data directories are made, which go with them
     * @param logs where they log
     */
    public static ClusterServers start(
            int count, ClusterUnderLoad.Service service, List<String> jvm, Path work, Path logs) throws IOException {
        Path data = Files.createTempDirectory(Files.createDirectories(work), "servers-");
        ClusterServers servers = new ClusterServers(service, jvm, data);
        try {
            for (int number = 1; number <= count; number++) {
                servers.add("server-" + number, logs);
            }
            return servers;
        } catch (IOException | RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    private void add(String id, Path logs) throws IOException {
        Path own = Files.createDirectories(data.resolve(id));
        int port = FreePorts.next();
        Map<String, String> settings = new HashMap<>(service.settings());
        settings.put("CLUSTER_SERVERID", id);
        settings.put("DATADIRECTORY", own.toString());
        settings.put("HTTP_HOST", "127.0.0.1");
        settings.put("HTTP_PORT", Integer.toString(port));
        settings.put("TRANSFER_PORT", Integer.toString(FreePorts.next()));
        URI management = URI.create("http://127.0.0.1:" + FreePorts.next());
        settings.put("MANAGEMENT_PORT", Integer.toString(management.getPort()));
        settings.put("METRICSLOGINTERVAL", "0s");
        Map<String, String> environment = new HashMap<>();
        settings.forEach((name, value) -> environment.put("TALOS_" + name, value));
        if (!all.isEmpty()) {
            SharedKeys.share(all.get(0).data(), own);
        }
        URI uri = URI.create("http://127.0.0.1:" + port);
        ClusterServer server = new ClusterServer(id, uri, management, own, jvm, logs.resolve(id + ".log"), environment);
        all.add(server);
        server.start();
    }

    /** All of them, also those that do not run. */
    public List<ClusterServer> all() {
        return all;
    }

    /** The one of a number from 0 on; after the last one comes the first again. */
    public ClusterServer get(int number) {
        return all.get(number % all.size());
    }

    /** How an SDK reaches them: it goes to the owner of each partition. */
    public ClientConfig clientConfig() throws CommandException {
        return ClientConfig.of(all.get(0).endpoint())
                .withEndpoints(all.stream().map(ClusterServer::uri).toList());
    }

    @Override
    public void close() throws IOException {
        try {
            for (ClusterServer each : all) {
                each.close();
            }
        } finally {
            Folders.delete(data);
            service.delete();
        }
    }
}
