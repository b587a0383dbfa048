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
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/**
 * Several servers on the development cluster, as one service.
 *
 * <p>Confined: the test; servers that were started before may be stopped and started by several threads.
 */
final class TestCluster implements AutoCloseable {
    /** Of three servers. */
    static final List<String> IDS = List.of("one", "two", "three");

    private static final JsonMapper JSON = new JsonMapper();

    private final Path directory;
    private final String zooKeeper;
    private final String root;
    private final Map<String, String> settings = new HashMap<>();
    private final Map<String, Map<String, String>> own = new ConcurrentHashMap<>();
    private final Map<String, InstantSource> clocks = new ConcurrentHashMap<>();
    private final Map<String, Running> servers = new ConcurrentSkipListMap<>();
    private final HttpClient http = HttpClient.newHttpClient();

    /** Immutable. */
    private record Running(URI uri, Optional<URI> management, Runnable close) {}

    TestCluster(DevCluster cluster, Path directory) throws Exception {
        this(cluster, directory, Map.of());
    }

    /** @param changed settings that are not as usual, of all servers */
    TestCluster(DevCluster cluster, Path directory, Map<String, String> changed) throws Exception {
        this.directory = directory;
        String name = "servers-" + UUID.randomUUID();
        zooKeeper = address(cluster.address(Daemon.ZOOKEEPER));
        root = "/" + name;
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
                Map.entry("SERVICE_SHUTDOWNGRACE", "10s"), // servers are stopped under load
                Map.entry("CLUSTER_COORDINATION", "zookeeper"),
                Map.entry("CLUSTER_DELAYREMOVED", "30s"),
                Map.entry("ZOOKEEPER_CONNECT", zooKeeper),
                Map.entry("ZOOKEEPER_ROOT", root),
                Map.entry("ZOOKEEPER_SESSIONTIMEOUT", "5s"),
                Map.entry("TRANSFER_PORT", "0"),
                Map.entry("TRANSFER_KEYFILE", keyFile.toString())));
        settings.putAll(changed);
        Map<String, String> environment = new HashMap<>();
        settings.forEach((key, value) -> environment.put("TALOS_" + key, value));
        ClusterSetUp.prepare(ConfigLoader.load(environment));
    }

    private static void secret(Path file, String text) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    static String address(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Settings of one server alone, from its next start on. */
    void set(String id, String key, String value) {
        own.computeIfAbsent(id, each -> new ConcurrentHashMap<>()).put(key, value);
    }

    /** Sets the time of day of a server of this JVM, from its next start on. */
    void setClock(String id, InstantSource clock) {
        clocks.put(id, clock);
    }

    /** Starts what does not run of three servers, and makes a topic of which each has its share when this returns. */
    TopicDescription startThree(String topic, int partitions) throws Exception {
        for (String id : IDS) {
            if (!servers.containsKey(id)) {
                start(id);
            }
        }
        TopicDescription made = new TalosAdmin(only("two")).createTopic(NewTopic.of(topic, partitions));
        awaitEven(partitions / IDS.size());
        return made;
    }

    /** Waits until all three servers see that each of them has this number of partitions. */
    void awaitEven(int partitions) {
        Map<String, String> even = new TreeMap<>();
        IDS.forEach(id -> even.put(id, "serving " + partitions));
        IDS.forEach(id -> awaitStatus(id, even));
    }

    /** Starts it, or starts it again, where clients have found it before. */
    void start(String id) throws Exception {
        Path data = prepared(id);
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(own.getOrDefault(id, Map.of()));
        TestServer server = TestServer.start(data, all, clocks.getOrDefault(id, InstantSource.system()));
        runs(id, new Running(server.uri(), Optional.of(server.managementUri()), server::close));
    }

    /** The same as a process of its own, which can be killed. */
    ServerProcess startProcess(String id) throws Exception {
        return startProcess(id, prepared(id));
    }

    /** Starts a second process under a server's id, with a directory and a port of its own, as by mistake. */
    ServerProcess startSecondProcess(String id) throws Exception {
        Path data = Files.createDirectories(directory.resolve("second").resolve("data"));
        secret(data.resolve("secrets.key"), Files.readString(data(id).resolve("secrets.key")));
        set(id, "HTTP_PORT", "0");
        return startProcess(id, data);
    }

    private ServerProcess startProcess(String id, Path data) throws Exception {
        Map<String, String> environment = new HashMap<>();
        settings.forEach((key, value) -> environment.put("TALOS_" + key, value));
        own.getOrDefault(id, Map.of()).forEach((key, value) -> environment.put("TALOS_" + key, value));
        ServerProcess process = ServerProcess.start(data, environment);
        runs(id, new Running(process.endpoint(), Optional.empty(), process::close));
        return process;
    }

    private void runs(String id, Running server) {
        servers.put(id, server);
        set(id, "HTTP_PORT", Integer.toString(server.uri.getPort()));
    }

    private Path data(String id) {
        return directory.resolve(id).resolve("data");
    }

    private Path prepared(String id) throws IOException {
        Path data = Files.createDirectories(data(id));
        set(id, "CLUSTER_SERVERID", id);
        if (!servers.isEmpty() && !Files.exists(data.resolve("secrets.key"))) {
            Path first = data(servers.keySet().iterator().next());
            for (String file : List.of("secrets.key", "admin.credentials")) {
                secret(data.resolve(file), Files.readString(first.resolve(file)));
            }
        }
        return data;
    }

    /** Stops it in its own way; it stays known. */
    void stop(String id) {
        server(id).close.run();
    }

    private Running server(String id) {
        Running server = servers.get(id);
        if (server == null) {
            throw new IllegalArgumentException(id + " was never started");
        }
        return server;
    }

    /** Returns the address of a server, with the key of its administrator. */
    TalosEndpoint endpoint(String id) throws Exception {
        return TestServer.endpoint(server(id).uri, data(id));
    }

    /** A client of one server, which sends everything there, once. */
    TalosClient only(String id) throws Exception {
        return new TalosClient(
                ClientConfig.of(endpoint(id)).withoutDirectRouting().withDeadline(Duration.ZERO));
    }

    /** A client of all servers, which goes straight to each partition's, and repeats for a minute. */
    TalosClient all() throws Exception {
        return new TalosClient(ofAll(Duration.ofMinutes(1)));
    }

    /** The configuration of a client of all servers that repeats for this time. */
    ClientConfig ofAll(Duration patience) throws Exception {
        List<URI> uris = servers.values().stream().map(Running::uri).toList();
        String first = servers.keySet().iterator().next();
        return ClientConfig.of(endpoint(first)).withEndpoints(uris).withDeadline(patience);
    }

    /** Returns a metric of a server of this JVM. */
    double metric(String id, String name) throws Exception {
        URI uri = server(id).management.orElseThrow().resolve("/metrics");
        String text = http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
        return text.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findAny()
                .orElseThrow();
    }

    /** Does something to ZooKeeper behind the servers' backs. */
    ZooKeeperNodes nodes() {
        return new ZooKeeperNodes(zooKeeper, root + "/cluster");
    }

    /** Returns the owners of the topic's partitions in ZooKeeper. */
    Owners owners(TopicDescription topic) throws Exception {
        try (ZooKeeperNodes nodes = nodes()) {
            return nodes.owners(topic);
        }
    }

    /** Joins a group by REST at a server; the path of the new member. */
    String member(String id, TopicDescription topic, String group) throws Exception {
        String members = "/v1/topics/" + topic.name() + "/groups/" + group + "/members";
        return members + "/"
                + JSON.readTree(rest(id, "POST", members, "").body())
                        .get("member")
                        .textValue();
    }

    HttpResponse<String> rest(String id, String method, String path, String body) throws Exception {
        TalosEndpoint endpoint = endpoint(id);
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
        CompletableFuture.allOf(servers.values().stream()
                        .map(each -> CompletableFuture.runAsync(each.close))
                        .toArray(CompletableFuture[]::new))
                .join();
    }
}
