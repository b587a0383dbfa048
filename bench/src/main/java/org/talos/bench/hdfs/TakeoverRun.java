// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.config.Durability;

/**
 * Kills one server under load, and measures how another takes its partitions over.
 *
 * <p>Confined: the main thread.
 */
final class TakeoverRun {
    static final String SECONDS = "all served s";

    private static final List<String> JVM = List.of("-Xms2g", "-Xmx2g");
    private static final Pattern OPENED = Pattern.compile("partitions opened .* ms=(\\d+)");
    private static final Pattern BROUGHT_IN =
            Pattern.compile("session replayed .*bytes=(\\d+) fenceMs=(\\d+) replayMs=(\\d+)");
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final double MEGABYTE = 1e6;
    private static final int DIGITS = 3;

    private final Cluster cluster;
    private final Settings settings;
    private final Path work;
    private final Path logs;

    TakeoverRun(Cluster cluster, Settings settings, Path work, Path logs) {
        this.cluster = cluster;
        this.settings = settings;
        this.work = work;
        this.logs = logs;
    }

    /**
     * The settings of a run. Immutable.
     *
     * @param load how long the first server is under load
     * @param server environment of the servers without {@code TALOS_}, over what they get anyway
     */
    record Settings(int partitions, int size, Duration load, Durability durability, Map<String, String> server) {
        Settings {
            server = Map.copyOf(server);
        }
    }

    /** @param way JOURNAL or PIPELINE */
    Measure measure(Way way, int round)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Path data = Files.createTempDirectory(Files.createDirectories(work), "takeover-");
        try {
            return measure(way, round, data);
        } finally {
            Folders.delete(data);
        }
    }

    private Measure measure(Way way, int round, Path data)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Map<String, String> environment = environment(way, data);
        String name = way.label() + "-" + round;
        Path log = logs.resolve(name + "-second.log");
        TopicDescription topic;
        try (SpawnedServer first = start(environment, logs.resolve(name + "-first.log"))) {
            TalosEndpoint endpoint = Connection.fromFile(first.uri(), data.resolve("admin.credentials"));
            topic = FilledTopic.make(new TalosClient(endpoint), "takeover", settings.partitions, 0, settings.size);
            try (NumberedPuts puts = new NumberedPuts(topic, settings.size)) {
                puts.start(endpoint);
                Thread.sleep(settings.load.toMillis());
                puts.expectEnd();
                long killed = System.nanoTime();
                first.kill();
                List<Long> acknowledged = puts.acknowledged();
                try (SpawnedServer second = start(environment, log)) {
                    double listening = (System.nanoTime() - killed) / NANOS;
                    endpoint = Connection.fromFile(second.uri(), data.resolve("admin.credentials"));
                    List<Long> served = puts.serving(endpoint);
                    puts.check(endpoint, acknowledged);
                    long count = acknowledged.stream().mapToLong(each -> each).sum();
                    return measure(way, round, since(killed, served), figures(log, listening, count));
                }
            }
        }
    }

    private Map<String, String> environment(Way way, Path data) throws IOException {
        Map<String, String> settingsOfAll = cluster.server(way);
        settingsOfAll.put("LOG_DURABILITY", settings.durability.name().toLowerCase(Locale.ROOT));
        if (way == Way.PIPELINE) {
            settingsOfAll.put("DISPATCH_PUT_WORKERS", Integer.toString(settings.partitions));
        }
        settingsOfAll.put("DATADIRECTORY", data.toString());
        settingsOfAll.put("HTTP_HOST", "127.0.0.1");
        settingsOfAll.put("HTTP_PORT", "0");
        settingsOfAll.put("MANAGEMENT_ENABLED", "false");
        settingsOfAll.putAll(settings.server);
        Map<String, String> environment = new HashMap<>();
        settingsOfAll.forEach((key, value) -> environment.put("TALOS_" + key, value));
        return environment;
    }

    private static SpawnedServer start(Map<String, String> environment, Path log) throws IOException {
        return SpawnedServer.start(org.talos.server.Main.class.getName(), JVM, environment, log);
    }

    private static Histogram since(long killed, List<Long> served) {
        Histogram latency = new Histogram(DIGITS);
        served.forEach(each -> latency.recordValue(each - killed));
        return latency;
    }

    private Measure measure(Way way, int round, Histogram served, SortedMap<String, Double> figures) {
        double seconds = served.getMaxValue() / NANOS;
        figures.put(SECONDS, seconds);
        String name = "%s %d".formatted(way.label(), settings.partitions);
        return new Measure(name, round, "takeover", served, seconds, served.getTotalCount(), 0, figures);
    }

    /** What the second server logs about its start. */
    private static SortedMap<String, Double> figures(Path log, double listening, long acknowledged) throws IOException {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("listening s", listening);
        figures.put("acknowledged before", (double) acknowledged);
        for (String line : Files.readAllLines(log)) {
            found(OPENED, line).ifPresent(match -> figures.put("opening s", number(match, 1) / MILLIS));
            found(BROUGHT_IN, line).ifPresent(match -> {
                figures.merge("journals MB", number(match, 1) / MEGABYTE, Double::sum);
                figures.merge("journals fenced s", number(match, 2) / MILLIS, Double::sum);
                figures.merge("journals read s", number(match, 3) / MILLIS, Double::sum);
            });
        }
        return figures;
    }

    private static Optional<Matcher> found(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        return matcher.find() ? Optional.of(matcher) : Optional.empty();
    }

    private static double number(Matcher match, int group) {
        return Double.parseDouble(match.group(group));
    }
}
