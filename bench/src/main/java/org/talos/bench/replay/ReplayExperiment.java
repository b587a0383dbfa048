// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/** Measures one case after another on one server. Confined: the main thread. */
final class ReplayExperiment implements Experiment<ReplayCase> {
    static final String PUT = "put";
    static final String UNTIL_GOT = "until got";
    static final String READ = "read";
    static final String DUE = "due a second";

    private static final String GET = "get";
    private static final double OF_PEAK = 0.5;
    private static final double MOST_SLOWER = 1.25;
    private static final double LEAST_OF_DUE = 0.99;
    private static final List<ReplayCase> CASES =
            List.of(ReplayCase.TAIL, ReplayCase.BOTH, ReplayCase.REPLAY, ReplayCase.BARE);
    private static final Duration LEAD_IN = Duration.ofSeconds(1); // of readers without a server to be warmed up

    private final ReplaySite site;
    private final KeptTopic kept;
    private final ReplaySettings settings;
    private final List<String> failures = new ArrayList<>();
    private double putsPerSecond; // at the tail, if a case has one; 0 for as many as there can be

    ReplayExperiment(ReplaySite site, KeptTopic kept, ReplaySettings settings) {
        this.site = site;
        this.kept = kept;
        this.settings = settings;
    }

    /** Puts at a pace from here on: the one of the settings, or half of the most that were measured. */
    void pace(Results results) {
        putsPerSecond = settings.putsPerSecond()
                .orElseGet(() ->
                        OF_PEAK * results.median(ReplayCase.PEAK.label(), Results.figure(PUT, Measure::perSecond)));
    }

    /** Reversed in each second round, so that no case always comes before the other. */
    @Override
    public List<ReplayCase> cases(int round) {
        List<ReplayCase> order = new ArrayList<>(CASES);
        if (round % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    @Override
    public List<Measure> measure(ReplayCase what, int round)
            throws IOException, TalosClientException, CommandException {
        return what == ReplayCase.BARE ? List.of(bare(round)) : served(what, round);
    }

    @Override
    public String line(ReplayCase what, List<Measure> measured) {
        return measured.stream().map(ReplayExperiment::line).collect(Collectors.joining("\n"));
    }

    private static String line(Measure each) {
        return format(
                "%s, %s: %,.1f a second, mean %.2f ms, P99 %.2f ms%s",
                each.caseName(),
                each.operation(),
                each.perSecond(),
                each.meanMillis(),
                each.millisAt(99),
                each.operation().equals(READ) ? format(", %.0f MB/s", each.figure(ReplayWindow.MEGABYTES)) : "");
    }

    /**
     * That a replay does not slow the tail. Of the gets it is the P99 from put to consumer, as what is claimed of the
     * puts is one: a mean hides those whom the replay held up.
     */
    @Override
    public List<Claim> claims(Results results) {
        return List.of(
                Claim.atMost("both : tail, P99 of a put", "", slower(results, PUT), MOST_SLOWER),
                Claim.atMost("both : tail, P99 until got", "", slower(results, UNTIL_GOT), MOST_SLOWER),
                Claim.atLeast("tail, puts : due", "", ofDue(results, ReplayCase.TAIL), LEAST_OF_DUE),
                Claim.atLeast("both, puts : due", "", ofDue(results, ReplayCase.BOTH), LEAST_OF_DUE));
    }

    private static double slower(Results results, String operation) {
        return results.ratio(
                ReplayCase.BOTH.label(), ReplayCase.TAIL.label(), Results.figure(operation, each -> each.millisAt(99)));
    }

    private static double ofDue(Results results, ReplayCase what) {
        return results.median(what.label(), Results.figure(PUT, each -> each.perSecond() / each.figure(DUE)));
    }

    /** The table, and what a replay does and costs beside bare reading, of which nothing is claimed. */
    @Override
    public List<String> tables(Results results, RunReport report) {
        Figure megabytes = Results.figure(READ, each -> each.figure(ReplayWindow.MEGABYTES));
        Figure cpu = Results.figure(READ, ReplayExperiment::cpu);
        List<String> lines = new ArrayList<>(report.table());
        lines.add(toBare(results, "replay : bare, MB/s", ReplayCase.REPLAY, megabytes));
        lines.add(toBare(results, "replay : bare, CPU a GB of all processes", ReplayCase.REPLAY, cpu));
        lines.add(toBare(results, "both : bare, MB/s", ReplayCase.BOTH, megabytes));
        return lines;
    }

    private static String toBare(Results results, String text, ReplayCase what, Figure figure) {
        return format("%s: %.2f", text, results.ratio(what.label(), ReplayCase.BARE.label(), figure));
    }

    /** All processors work for it, whichever process they do it in; daemons there are only with HDFS. */
    private static double cpu(Measure measure) {
        return measure.figure(ReplayWindow.SERVER_CPU)
                + measure.figure(ReplayWindow.CLIENT_CPU)
                + measure.figures().getOrDefault(ReplayWindow.DAEMON_CPU, 0.0);
    }

    @Override
    public List<String> wrong(Results results) {
        return failures.stream().map(each -> "FAILED: " + each).toList();
    }

    private Measure bare(int round) throws IOException {
        BareReads reads = kept.bareReads();
        ReplayWindow window = new ReplayWindow(site, reads::bytes);
        LoadResult result = reads.run(LEAD_IN, settings.timing().measured(), window);
        return result.measure(ReplayCase.BARE.label(), round, READ, window.costs());
    }

    private List<Measure> served(ReplayCase what, int round)
            throws IOException, TalosClientException, CommandException {
        MeasuredServer server = site.server();
        ReplayWindow window = new ReplayWindow(site, kept::replayedBytes);
        var unused = server.metrics(); // the first time it takes long, and would hold up the loop that opens the window
        QuietCompiler warmUp = QuietCompiler.of(server, settings.timing().longestWarmUp());
        PutGetLoad load = new PutGetLoad(server.uri(), warmUp, settings.timing().measured());
        Optional<Tail> tail = what.hasTail()
                ? Optional.of(Tail.make(server, what.label() + "-" + round, settings, window::isOpen))
                : Optional.empty();
        tail.ifPresent(each -> load.add(PUT, each.puts(), putsPerSecond).add(GET, each.gets(), 0));
        if (what.hasReplay()) {
            load.add(READ, kept.replays(), 0);
        }
        Map<String, LoadResult> results = load.run(window);
        results.forEach((operation, result) -> result.firstFailure()
                .ifPresent(failure -> failures.add(format(
                        "%s, round %d, %s: %d failed: %s", what.label(), round, operation, result.failed(), failure))));
        List<Measure> measures = new ArrayList<>();
        if (tail.isPresent()) {
            measures.addAll(ofTail(what, round, tail.get(), results, window));
        }
        if (what.hasReplay()) {
            SortedMap<String, Double> figures = what.hasTail() ? window.reading() : window.costs();
            measures.add(of(results, READ).measure(what.label(), round, READ, figures));
        }
        return measures;
    }

    private List<Measure> ofTail(
            ReplayCase what, int round, Tail tail, Map<String, LoadResult> results, ReplayWindow window)
            throws IOException, TalosClientException {
        LoadResult puts = of(results, PUT);
        LoadResult gets = of(results, GET);
        tail.end(puts.succeeded())
                .ifPresent(missing -> failures.add(format("%s, round %d: %s", what.label(), round, missing)));
        SortedMap<String, Double> figures = window.cores();
        if (putsPerSecond > 0) {
            figures.put(DUE, putsPerSecond);
        }
        Measure untilGot = new Measure(
                what.label(),
                round,
                UNTIL_GOT,
                tail.untilGot(),
                puts.measuredNanos() / 1e9, // the window is that of the puts
                gets.succeeded(),
                gets.failed(),
                new TreeMap<>());
        return List.of(puts.measure(what.label(), round, PUT, figures), untilGot);
    }

    private static LoadResult of(Map<String, LoadResult> results, String operation) {
        return Objects.requireNonNull(results.get(operation));
    }
}
