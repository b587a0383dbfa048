// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.ChartPoint;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Tests the capacity formula: the best number of threads and the most requests a second, predicted from what a request
 * costs at a part of the load, and then measured; with gzip on the way of a request, and without.
 *
 * <p>A thread is one that runs a request from its begin to its end. Here that is a request in flight: the server has
 * more workers than that, so each request has one.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "capacity",
        description = "Predict the best number of threads and the most puts a second from processor time and waiting "
                + "time of a put, then measure around it; with gzip on the request path and without.")
public final class CapacityCommand extends ExperimentCommand {
    private static final int MOST_THREADS = 256;
    private static final int FIRST_GUESS = 4;
    private static final int REST_MILLIS = 5_000;
    private static final int TEXT_BYTES = 20_000;
    /** Of the predicted number of threads: where what a put costs is measured. */
    private static final double MEASURED_AT = 0.75;

    private static final double WITHIN = 0.15;
    private static final double[] CURVE = {1, 1.25, 1.5, 2};
    private static final List<String> JVM = MeasuredServer.withHeap("3g");

    private final Pinning pinning = Pinning.ofMachine();

    @Option(names = "--seconds", description = "Measured, each point. Default: 15, with --short 6")
    private int seconds;

    @Option(
            names = "--warmup",
            description =
                    "Seconds of full load before the first point. Default: 30, with --short 15; with --auto until the "
                            + "server's compilers are quiet, 120 at most, with --short 60")
    private int warmUp;

    @Option(
            names = "--auto",
            description = "Instead: compare workers that follow from what the server measures (auto) with fixed "
                    + "numbers, alternately, on three kinds of stores and through changes of them under load.")
    private boolean auto;

    public CapacityCommand(CommandContext context) {
        super(context, new ExperimentOptions().brief("Shorter measurements."));
    }

    /** One point of a curve. Immutable. */
    private record Point(int threads, Measure measure, double cpuSeconds) {
        /** best threads = RT / CPU time × cores × utilisation. */
        double bestThreads(double processors) {
            return measure.meanMillis() / 1e3 * mostPerSecond(processors);
        }

        /** max QPS = cores × utilisation / CPU time. */
        double mostPerSecond(double processors) {
            return processors / cpuSeconds;
        }
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException {
        boolean brief = options().isBrief();
        if (auto) {
            return new AutoCapacityRun(context(), pinning, AutoCapacitySettings.of(brief, seconds, warmUp)).run();
        }
        seconds = seconds > 0 ? seconds : brief ? 6 : 15;
        warmUp = warmUp > 0 ? warmUp : brief ? 15 : 30;
        RunReport report = RunReport.begin(context(), "capacity", settings());
        Peak with = measure("gzip", report);
        Peak without = measure("plain", report);
        double gain = without.measured / with.measured;
        line(
                "without gzip on the request path: %.1f times the puts/s, predicted %.1f times (the report: 12 to 28 ms of a processor became 0.8 to 0.9 ms, and 70 to 164 requests a second became 1,700 to 2,080)",
                gain, without.predicted / with.predicted);
        return report.finish(report.table(), List.of());
    }

    private SortedMap<String, String> settings() throws IOException {
        return new TreeMap<>(Map.of(
                "measured s", Integer.toString(seconds),
                "warm-up s", Integer.toString(warmUp),
                "processors", pinning.describe(),
                "utilisation", Double.toString(Pinning.UTILISATION),
                "append ms mean", format("%.1f", Delays.hflush().meanMillis()),
                "message bytes", Integer.toString(TEXT_BYTES),
                "server options", String.join(" ", JVM)));
    }

    private Map<String, String> server(String what) {
        return Map.ofEntries(
                Map.entry(DelayedServer.GZIP, Boolean.toString(what.equals("gzip"))),
                Map.entry("DISPATCH_PUT_WORKERS", Integer.toString(MOST_THREADS)),
                Map.entry("DISPATCH_PUT_MAXBATCH", "1"), // a put is a request
                Map.entry("LOG_DURABILITY", "flush"),
                Map.entry("LOG_SEGMENTBYTES", "4MiB"), // and soon deleted: a fast server would fill the disk
                Map.entry("LOG_RETENTIONBYTESPERPARTITION", "4MiB"),
                Map.entry("LOG_RETENTIONINTERVAL", "2s"),
                Map.entry("LOG_MAXUNWRITTENBYTES", "512MiB"),
                Map.entry("LOG_TAILCACHEBYTES", "0"));
    }

    /** The most puts a second. Immutable. */
    private record Peak(double predicted, double measured) {}

    private static void around(RunReport report, String what, double ratio) {
        report.add(Claim.atLeast(what, "", ratio, 1 - WITHIN));
        report.add(Claim.atMost(what, "", ratio, 1 + WITHIN));
    }

    private Peak measure(String what, RunReport report) throws IOException, CommandException, TalosClientException {
        try (MeasuredServer server = MeasuredServer.start(
                pinning.before(),
                DelayedServer.class,
                JVM,
                server(what),
                work(),
                report.folder().resolve(what + ".log"))) {
            pinning.pinLoad();
            Points points = new Points(what, server, report);
            var unused =
                    points.load(MOST_THREADS, Duration.ofSeconds(warmUp), Duration.ofSeconds(1), new Observed(server));
            return curve(what, points, report);
        } finally {
            pinning.release();
        }
    }

    private Peak curve(String what, Points points, RunReport report) throws IOException {
        double processors = pinning.serverProcessors() * Pinning.UTILISATION;
        TreeMap<Integer, Point> curve = new TreeMap<>();
        points.rest();
        Point at = points.measure(FIRST_GUESS);
        curve.put(at.threads, at);
        // Of little load it is mostly the waking up that is measured.
        for (int more = part(at, processors); more > at.threads; more = part(at, processors)) {
            at = points.measure(more);
            curve.put(more, at);
        }
        int best = within(at.bestThreads(processors));
        double most = at.mostPerSecond(processors);
        line(
                "%s: a put takes %.3f of %.2f ms on a processor: best with %d threads, at most %.0f puts/s",
                what, at.cpuSeconds * 1e3, at.measure.meanMillis(), best, most);
        measureAround(best, points, curve);
        Point peak = curve.values().stream()
                .max((one, other) -> Double.compare(one.measure.perSecond(), other.measure.perSecond()))
                .orElseThrow();
        line(
                "%s: measured peak %.0f puts/s with %d threads, %.0f with the predicted %d",
                what,
                peak.measure.perSecond(),
                peak.threads,
                curve.floorEntry(best).getValue().measure.perSecond(),
                best);
        chart(what, curve, best, most, report);
        around(report, what + ", predicted : measured peak", most / peak.measure.perSecond());
        return new Peak(most, peak.measure.perSecond());
    }

    private void measureAround(double best, Points points, SortedMap<Integer, Point> curve) throws IOException {
        TreeSet<Integer> wanted = new TreeSet<>();
        for (double part : CURVE) {
            wanted.add(within(best * part));
        }
        wanted.removeAll(curve.keySet());
        for (int threads : wanted) {
            curve.put(threads, points.measure(threads));
        }
    }

    private static void chart(String what, SortedMap<Integer, Point> curve, int best, double most, RunReport report) {
        report.lineChart(
                what,
                "Puts a second by requests in flight, " + what,
                "requests in flight",
                "puts a second",
                Map.of(
                        "measured",
                        curve.values().stream()
                                .map(each -> new ChartPoint(each.threads, each.measure.perSecond()))
                                .toList(),
                        "predicted most",
                        List.of(new ChartPoint(1, most), new ChartPoint(best, most))));
    }

    private static int part(Point at, double processors) {
        return within(at.bestThreads(processors) * MEASURED_AT);
    }

    private static int within(double threads) {
        return (int) Math.max(1, Math.min(MOST_THREADS, Math.round(threads)));
    }

    /** Lines such as those of a log. */
    private static MessageBlock block(SplittableRandom random) {
        StringBuilder text = new StringBuilder(TEXT_BYTES);
        while (text.length() < TEXT_BYTES) {
            text.append("{\"user\":")
                    .append(random.nextInt(100_000))
                    .append(",\"page\":\"/orders/")
                    .append(random.nextInt(1_000))
                    .append("\",\"millis\":")
                    .append(random.nextInt(500))
                    .append("}\n");
        }
        return MessageBlocks.write(
                List.of(new Message(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)))),
                MessageCompressionType.NONE,
                System.currentTimeMillis());
    }

    /** Measures one server with different numbers of requests in flight. Confined: the main thread. */
    private final class Points {
        private final String what;
        private final MeasuredServer server;
        private final RunReport report;
        private final List<SignedPuts> puts;
        private double restingCores;

        Points(String what, MeasuredServer server, RunReport report) throws CommandException, TalosClientException {
            this.what = what;
            this.server = server;
            this.report = report;
            TopicDescription topic = server.topic("capacity", MOST_THREADS);
            puts = new ArrayList<>(
                    SignedPuts.toAll(topic, server.authority(), server.credential(), 1, CapacityCommand::block));
        }

        LoadResult load(int threads, Duration before, Duration measured, Observed observed) throws IOException {
            return new PutGetLoad(server.uri(), before, measured)
                    .add("put", puts.subList(0, threads), 0)
                    .runOne(observed);
        }

        /** Processor time that the process uses without requests, which is not a cost of requests. */
        void rest() throws IOException {
            Observed observed = new Observed(server);
            observed.opened();
            try {
                Thread.sleep(REST_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            observed.closed();
            restingCores = observed.busyCores();
            line("%s at rest: %.3f of a processor", what, restingCores);
        }

        Point measure(int threads) throws IOException {
            Observed observed = new Observed(server);
            LoadResult result = load(threads, Duration.ofSeconds(3), Duration.ofSeconds(seconds), observed);
            double cpu = (observed.cpuSeconds() - restingCores * seconds)
                    / result.latency().getTotalCount();
            SortedMap<String, Double> figures = new TreeMap<>(Map.of(
                    "threads", (double) threads, "processor ms", cpu * 1e3, "server cores busy", observed.busyCores()));
            Measure measure = result.measure(format("%s %3d", what, threads), 1, "put", figures);
            report.add(measure);
            report.write();
            line("%s with %3d threads: %6.0f puts/s", what, threads, measure.perSecond());
            return new Point(threads, measure, cpu);
        }
    }
}
