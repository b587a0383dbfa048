// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.config.Durability;

/** Kills one server under load, and measures how another takes its partitions over. Confined: the main thread. */
final class TakeoverRun {
    static final String OPERATION = "takeover";
    static final String SECONDS = "all served s";

    private static final Pattern OPENED = Pattern.compile("partitions opened .* ms=(\\d+)");
    private static final Pattern BROUGHT_IN =
            Pattern.compile("session replayed .*bytes=(\\d+) fenceMs=(\\d+) replayMs=(\\d+)");
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final double MEGABYTE = 1e6;
    private static final int DIGITS = 3;

    private final Settings settings;
    private final Path logs;

    TakeoverRun(Settings settings, Path logs) {
        this.settings = settings;
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
    Measure measure(TakeoverSite site, Way way, int round)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        String name = way.label() + (site.segments() > 0 ? "-" + site.segments() : "") + "-" + round;
        Path log = logs.resolve(name + "-second.log");
        try (SpawnedServer first = site.start(way, logs.resolve(name + "-first.log"));
                NumberedPuts puts = new NumberedPuts(site.topic(), settings.size)) {
            checkFirst(site, site.endpoint(first));
            puts.start(site.endpoint(first));
            Thread.sleep(settings.load.toMillis());
            puts.expectEnd();
            long killed = System.nanoTime();
            first.kill();
            List<Long> acknowledged = puts.acknowledged();
            try (SpawnedServer second = site.start(way, log)) {
                double listening = (System.nanoTime() - killed) / NANOS;
                TalosEndpoint endpoint = site.endpoint(second);
                List<Long> served = puts.serving(endpoint);
                site.grown(puts.check(endpoint, site.ends(), acknowledged));
                long count = acknowledged.stream().mapToLong(each -> each).sum();
                return measure(site, way, round, since(killed, served), figures(log, listening, count));
            }
        }
    }

    /** Segments that were made without a server are as if one had made them: it reads them. */
    private static void checkFirst(TakeoverSite site, TalosEndpoint endpoint) throws IOException, TalosClientException {
        if (site.segments() > 0) {
            long offset = SealedSegments.firstWhole(site.segments());
            FetchedMessage found = new SimpleConsumer(new TalosClient(endpoint), site.topic(), 0)
                    .fetch(offset, 1)
                    .get(0);
            if (found.offset() != offset) {
                throw new IOException("a segment has the offset " + found.offset() + " (expected: " + offset + ")");
            }
        }
    }

    private static Histogram since(long killed, List<Long> served) {
        Histogram latency = new Histogram(DIGITS);
        served.forEach(each -> latency.recordValue(each - killed));
        return latency;
    }

    private Measure measure(
            TakeoverSite site, Way way, int round, Histogram served, SortedMap<String, Double> figures) {
        double seconds = served.getMaxValue() / NANOS;
        figures.put(SECONDS, seconds);
        String name = caseName(way, settings.partitions, site.segments());
        return new Measure(name, round, OPERATION, served, seconds, served.getTotalCount(), 0, figures);
    }

    /** The name of a case in the report. */
    static String caseName(Way way, int partitions, int segments) {
        return way.label() + " " + partitions + (segments > 0 ? ", " + segments + " segments" : "");
    }

    /** Returns the figures that the second server logs about its start. */
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
