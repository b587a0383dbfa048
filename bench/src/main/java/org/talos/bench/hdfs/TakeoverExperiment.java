// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * The takeovers of each form, by the number of segments that partitions had before, and the claims. Confined: the main
 * thread.
 */
final class TakeoverExperiment implements Experiment<TakeoverExperiment.Takeover> {
    private static final double LONGEST_SECONDS = 10;
    private static final double MOST_LONGER = 1.25;

    private final TakeoverRun run;
    private final int partitions;
    private final List<Way> ways;
    private final SortedMap<Integer, TakeoverSite> sites;

    /** @param sites by the number of segments that each partition had before */
    TakeoverExperiment(TakeoverRun run, int partitions, List<Way> ways, SortedMap<Integer, TakeoverSite> sites) {
        this.run = run;
        this.partitions = partitions;
        this.ways = List.copyOf(ways);
        this.sites = sites;
    }

    /** A site whose server is killed, and the form of the servers. Immutable, but for the site. */
    record Takeover(Way way, TakeoverSite site) {}

    @Override
    public List<Takeover> cases(int round) {
        return ways.stream()
                .flatMap(way -> sites.values().stream().map(site -> new Takeover(way, site)))
                .toList();
    }

    @Override
    public List<Measure> measure(Takeover what, int round)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        return List.of(run.measure(what.site, what.way, round));
    }

    @Override
    public String line(Takeover what, List<Measure> measured) {
        Measure one = measured.get(0);
        return format("%s: all served after %.1f s, nothing lost, nothing twice", one.caseName(), one.seconds());
    }

    @Override
    public List<Claim> claims(Results results) {
        List<Integer> segments = List.copyOf(sites.keySet());
        return ways.stream()
                .flatMap(way -> claims(results, way, partitions, segments).stream())
                .toList();
    }

    /**
     * Returns the claims about one form: the longest of all takeovers, and how much longer one takes with the most
     * segments than with the fewest.
     *
     * @param segments ascending
     */
    static List<Claim> claims(Results results, Way way, int partitions, List<Integer> segments) {
        Figure seconds = Results.figure(TakeoverRun.OPERATION, each -> each.figure(TakeoverRun.SECONDS));
        double longest = segments.stream()
                .mapToDouble(each -> results.most(TakeoverRun.caseName(way, partitions, each), seconds))
                .max()
                .orElse(Double.NaN);
        List<Claim> claims = new ArrayList<>();
        claims.add(Claim.atMost(way.label() + ", longest takeover", "s", longest, LONGEST_SECONDS));
        if (segments.size() > 1) {
            int few = segments.get(0);
            int many = segments.get(segments.size() - 1);
            double ratio = results.ratio(
                    TakeoverRun.caseName(way, partitions, many), TakeoverRun.caseName(way, partitions, few), seconds);
            String text = format("%s, takeover with %d segments : %d", way.label(), many, few);
            claims.add(Claim.atMost(text, "", ratio, MOST_LONGER));
        }
        return claims;
    }
}
