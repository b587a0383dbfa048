// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.variant.VariantServer;
import org.talos.bench.variant.Variants;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;

/**
 * The data directory and the logs of one server after another, and their topic, whose partitions have the same number
 * of sealed segments to begin with. Used round after round.
 *
 * <p>Confined: the main thread.
 */
final class TakeoverSite implements AutoCloseable {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final List<String> JVM = MeasuredServer.withHeap("2g");

    private final TakeoverRun.Settings settings;
    private final int segments;
    private final Path data;
    private final Map<String, String> environment;
    private final TopicDescription topic;
    private List<Long> ends;

    private TakeoverSite(
            TakeoverRun.Settings settings,
            int segments,
            Path data,
            Map<String, String> environment,
            TopicDescription topic) {
        this.settings = settings;
        this.segments = segments;
        this.data = data;
        this.environment = environment;
        this.topic = topic;
        ends = Collections.nCopies(topic.partitions(), (long) segments);
    }

    /**
     * Makes the topic and its segments.
     *
     * @param segments sealed ones of each partition
     * @param work where the data directory is made
     * @param logs where the server that makes the topic logs
     */
    static TakeoverSite make(Cluster cluster, TakeoverRun.Settings settings, int segments, Path work, Path logs)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Path data = Files.createTempDirectory(Files.createDirectories(work), "takeover-");
        try {
            Map<String, String> environment = environment(cluster, settings, data);
            Path log = logs.resolve("topic-" + segments + ".log");
            TopicDescription topic;
            try (SpawnedServer server = SpawnedServer.start(mainClass(), JVM, environment, log)) {
                TalosClient client = new TalosClient(endpoint(server, data));
                topic = new TalosAdmin(client)
                        .createTopic(NewTopic.of("takeover", settings.partitions())
                                .withRetention(KEPT.plus(SealedSegments.oldest(segments))));
            }
            if (segments > 0) {
                String root = environment.getOrDefault("TALOS_HDFS_ROOT", "");
                new SealedSegments(cluster.files(), root, topic, segments).make(data.resolve("metadata"));
            }
            return new TakeoverSite(settings, segments, data, environment, topic);
        } catch (IOException | CommandException | TalosClientException | InterruptedException | RuntimeException e) {
            Folders.delete(data);
            throw e;
        }
    }

    private static Map<String, String> environment(Cluster cluster, TakeoverRun.Settings settings, Path data)
            throws IOException {
        Map<String, String> all = cluster.server(Way.JOURNAL);
        all.put("LOG_DURABILITY", settings.durability().name().toLowerCase(Locale.ROOT));
        all.put("DATADIRECTORY", data.toString());
        all.put("HTTP_HOST", "127.0.0.1");
        all.put("HTTP_PORT", "0");
        all.put("MANAGEMENT_ENABLED", "false");
        all.putAll(settings.server());
        Map<String, String> environment = new HashMap<>();
        all.forEach((key, value) -> environment.put("TALOS_" + key, value));
        return environment;
    }

    private static String mainClass() {
        return VariantServer.class.getName();
    }

    /** Starts a server there, which takes over what the one before has left. */
    SpawnedServer start(Way way, Path log) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put(Variants.HDFS_FORM, way.label());
        if (way == Way.PIPELINE) {
            all.putIfAbsent("TALOS_DISPATCH_PUT_WORKERS", Integer.toString(settings.partitions()));
        }
        return SpawnedServer.start(mainClass(), JVM, all, log);
    }

    /** The server's administrator. */
    TalosEndpoint endpoint(SpawnedServer server) throws CommandException {
        return endpoint(server, data);
    }

    private static TalosEndpoint endpoint(SpawnedServer server, Path data) throws CommandException {
        return Connection.fromFile(server.uri(), data.resolve("admin.credentials"));
    }

    int segments() {
        return segments;
    }

    TopicDescription topic() {
        return topic;
    }

    /** The offset behind the last message of each partition. */
    List<Long> ends() {
        return ends;
    }

    /** Notes how far the partitions have been written and checked. */
    void grown(List<Long> to) {
        ends = List.copyOf(to);
    }

    @Override
    public void close() {
        Folders.delete(data);
    }
}
