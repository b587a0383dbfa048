// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.server.ClusterSetUp;
import org.talos.server.config.ConfigLoader;
import org.talos.server.testing.TestServer;

/** Several servers of this JVM on the development cluster, as one service. Confined: the test. */
final class TestCluster implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Path directory;
    private final Map<String, String> settings = new HashMap<>();
    private final Map<String, TestServer> servers = new TreeMap<>();
    private final HttpClient http = HttpClient.newHttpClient();

    TestCluster(DevCluster cluster, Path directory) throws Exception {
        this.directory = directory;
        String name = "servers-" + UUID.randomUUID();
        InetSocketAddress zooKeeper = cluster.address(Daemon.ZOOKEEPER);
        Path keyFile = directory.resolve("transfer.key");
        secret(keyFile, Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8)) + "\n");
        settings.putAll(Map.ofEntries(
                Map.entry("STORAGE_LOGS", "hdfs"),
                Map.entry("STORAGE_METADATA", "hbase"),
                Map.entry("HDFS_CONFIGDIRECTORY", cluster.clientConfig().toString()),
                Map.entry("HBASE_CONFIGDIRECTORY", cluster.clientConfig().toString()),
                Map.entry("HBASE_TABLE", name),
                Map.entry("HDFS_ROOT", "/" + name),
                Map.entry("LOG_DURABILITY", "flush"),
                Map.entry("METRICSLOGINTERVAL", "0s"),
                Map.entry("CLUSTER_COORDINATION", "zookeeper"),
                Map.entry("CLUSTER_DELAYREMOVED", "30s"),
                Map.entry("ZOOKEEPER_CONNECT", zooKeeper.getHostString() + ":" + zooKeeper.getPort()),
                Map.entry("ZOOKEEPER_ROOT", "/" + name),
                Map.entry("ZOOKEEPER_SESSIONTIMEOUT", "5s"),
                Map.entry("TRANSFER_PORT", "0"),
                Map.entry("TRANSFER_KEYFILE", keyFile.toString())));
        Map<String, String> environment = new HashMap<>();
        settings.forEach((key, value) -> environment.put("TALOS_" + key, value));
        ClusterSetUp.prepare(ConfigLoader.load(environment));
    }

    private static void secret(Path file, String text) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    /** Starts it, or starts it again. */
    TestServer start(String id) throws Exception {
        Path data = Files.createDirectories(directory.resolve(id));
        if (!servers.isEmpty() && !Files.exists(data.resolve("secrets.key"))) {
            Path first = directory.resolve(servers.keySet().iterator().next());
            for (String file : List.of("secrets.key", "admin.credentials")) {
                secret(data.resolve(file), Files.readString(first.resolve(file)));
            }
        }
        Map<String, String> own = new HashMap<>(settings);
        own.put("CLUSTER_SERVERID", id);
        TestServer server = TestServer.start(data, own);
        servers.put(id, server);
        return server;
    }

    /** Stops it in its own way; it stays known. */
    void stop(String id) {
        server(id).close();
    }

    TestServer server(String id) {
        TestServer server = servers.get(id);
        if (server == null) {
            throw new IllegalArgumentException(id + " was never started");
        }
        return server;
    }

    /** A client of one server, which sends everything there. */
    TalosClient only(String id) throws Exception {
        return new TalosClient(
                ClientConfig.of(server(id).endpoint()).withoutDirectRouting().withDeadline(Duration.ZERO));
    }

    /** A client of all servers, which goes straight to each partition's, and repeats for a minute. */
    TalosClient all() throws Exception {
        List<URI> uris = new ArrayList<>();
        servers.values().forEach(each -> uris.add(each.uri()));
        return new TalosClient(
                ClientConfig.of(servers.values().iterator().next().endpoint())
                        .withEndpoints(uris)
                        .withDeadline(Duration.ofMinutes(1)));
    }

    HttpResponse<String> rest(String id, String method, String path, String body) throws Exception {
        var endpoint = server(id).endpoint();
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.uri().resolve(path))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)))
                .method(method, BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** State and number of partitions of each server, as one of them sees it. */
    Map<String, String> status(String asked) throws Exception {
        JsonNode status = JSON.readTree(rest(asked, "GET", "/v1/cluster", "").body());
        Map<String, String> seen = new TreeMap<>();
        for (JsonNode each : status.get("servers")) {
            seen.put(
                    each.get("server").textValue(),
                    each.get("state").textValue() + " " + each.get("partitions").asText());
        }
        return seen;
    }

    void awaitStatus(String asked, Map<String, String> expected) {
        await().atMost(Duration.ofSeconds(60)).until(() -> status(asked), expected::equals);
    }

    @Override
    public void close() {
        servers.values().forEach(TestServer::close);
    }
}
