// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/** Measures one case after another on one server. Confined: the main thread. */
final class ReplayRun {
    static final String PUT = "put";
    static final String UNTIL_GOT = "until got";
    static final String READ = "read";
    static final String DUE = "due a second";

    private static final String GET = "get";
    private static final Duration LEAD_IN = Duration.ofSeconds(1); // of readers without a server to be warmed up

    private final Site site;
    private final KeptTopic kept;
    private final ReplaySettings settings;
    private final List<String> failures = new ArrayList<>();

    ReplayRun(Site site, KeptTopic kept, ReplaySettings settings) {
        this.site = site;
        this.kept = kept;
        this.settings = settings;
    }

    /** What went wrong, a line each. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /**
     * Measures a case.
     *
     * @param putsPerSecond at the tail, if it has one; 0 for as many as there can be
     */
    List<Measure> measure(ReplayCase what, int round, double putsPerSecond)
            throws IOException, TalosClientException, CommandException {
        return what == ReplayCase.BARE ? List.of(bare(round)) : served(what, round, putsPerSecond);
    }

    private Measure bare(int round) throws IOException {
        BareReads reads = kept.bareReads();
        ReplayWindow window = new ReplayWindow(site, reads::bytes);
        LoadResult result = reads.run(LEAD_IN, settings.measured(), window);
        return result.measure(ReplayCase.BARE.label(), round, READ, window.costs());
    }

    private List<Measure> served(ReplayCase what, int round, double putsPerSecond)
            throws IOException, TalosClientException, CommandException {
        MeasuredServer server = site.server();
        ReplayWindow window = new ReplayWindow(site, kept::replayedBytes);
        var unused = server.metrics(); // the first time it takes long, and would hold up the loop that opens the window
        CompileTime compilers = CompileTime.of(server.pid());
        QuietCompiler warmUp = new QuietCompiler(compilers::seconds, settings.longestWarmUp());
        PutGetLoad load = new PutGetLoad(server.uri(), warmUp, settings.measured());
        Optional<Tail> tail = what.hasTail()
                ? Optional.of(Tail.make(server, what.label() + "-" + round, settings, window::isOpen))
                : Optional.empty();
        tail.ifPresent(each -> load.add(PUT, each.puts(), putsPerSecond).add(GET, each.gets(), 0));
        if (what.hasReplay()) {
            load.add(READ, kept.replays(), 0);
        }
        Map<String, LoadResult> results = load.run(window);
        results.forEach((operation, result) -> result.firstFailure()
                .ifPresent(failure -> failures.add(String.format(
                        Locale.ROOT,
                        "%s, round %d, %s: %d failed: %s",
                        what.label(),
                        round,
                        operation,
                        result.failed(),
                        failure))));
        List<Measure> measures = new ArrayList<>();
        if (tail.isPresent()) {
            measures.addAll(ofTail(what, round, tail.get(), results, putsPerSecond, window));
        }
        if (what.hasReplay()) {
            SortedMap<String, Double> figures = what.hasTail() ? window.reading() : window.costs();
            measures.add(of(results, READ).measure(what.label(), round, READ, figures));
        }
        return measures;
    }

    private List<Measure> ofTail(
            ReplayCase what,
            int round,
            Tail tail,
            Map<String, LoadResult> results,
            double putsPerSecond,
            ReplayWindow window)
            throws IOException, TalosClientException {
        LoadResult puts = of(results, PUT);
        LoadResult gets = of(results, GET);
        tail.end(puts.succeeded())
                .ifPresent(missing ->
                        failures.add(String.format(Locale.ROOT, "%s, round %d: %s", what.label(), round, missing)));
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
