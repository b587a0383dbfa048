// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.talos.bench.engine.ExperimentOptions.inRange;
import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what members of consumer groups cost the servers while they only stay members.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "members",
        description = "Joins the members of many consumer groups on one topic, each with the partitions of its share, "
                + "and lets them do what the SDK's consumer does while there are no messages: renew, look at the "
                + "group, check the topic. Nothing is fetched. Compares processor time with as many calls that read "
                + "no row, and counts row reads and writes. Ends with 1 if a call failed or a member lost a "
                + "partition.")
public final class MembersCommand extends ExperimentCommand {
    private static final int MOST_GROUPS = 100_000;
    private static final int MOST_MEMBERS = 10_000;
    private static final int MOST_IN_ALL = 1_000_000;
    private static final int MOST_PARTITIONS = 10_000;
    private static final int MOST_SERVERS = 9;
    private static final double LEAST_SECONDS = 0.05;
    /** An idle connection ends after two minutes, and a member after half a minute unless the servers wait longer. */
    private static final double MOST_SECONDS = 60;

    private static final double NANOS = 1e9;
    private static final double SECONDS_PER_MINUTE = 60;

    @Option(names = "--groups", description = "Consumer groups, all on one topic. Default: 100; short: 10")
    private Optional<Integer> groups = Optional.empty();

    @Option(names = "--members", description = "Of each group. Default: 100")
    private int members = 100;

    @Option(
            names = "--partitions",
            description =
                    "Of the topic. If fewer than the members of a group, the last members hold none. Default: 100")
    private int partitions = 100;

    @Option(
            names = "--servers",
            description = "1, with its data in a directory, or up to 9 with HDFS, HBase and ZooKeeper, which are "
                    + "started on this machine. Default: 1")
    private int servers = 1;

    @Option(
            names = "--renew",
            paramLabel = "SECONDS",
            description = "Between renewals of a member. Default: 7, as in SDKs")
    private Optional<Double> renew = Optional.empty();

    @Option(
            names = "--look",
            paramLabel = "SECONDS",
            description =
                    "Between looks of a member at its group; 0 for none, 10 as the public SDKs. Default: as the "
                            + "SDK of this version, 0.5, or 0.05 for each member of a group if that is longer, and 5 from 100 members on")
    private Optional<Double> look = Optional.empty();

    @Option(
            names = "--minutes",
            description = "Measured, of the members and of the calls they are compared with. Default: 1; short: 0.25")
    private Optional<Double> minutes = Optional.empty();

    @Option(
            names = "--connections",
            description = "At most, for each kind of call and server; all members share them. Default: 64")
    private int connections = 64;

    public MembersCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("10 groups and a quarter of a minute, for a quick look")
                        .warmUp(
                                "Seconds before each measured time, at most: it begins when the servers' compilers "
                                        + "are quiet",
                                60,
                                20)
                        .devCluster("Of a development cluster, which continues afterwards")
                        .data("Where a single server keeps data")
                        .set("For the servers, as in the environment: SERVICE_MEMBERTTL=60s")
                        .jvm("JVM of a single server", "-Xms1g -Xmx1g -XX:MaxGCPauseMillis=20"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        MembersSettings settings = settings();
        RunReport report = RunReport.begin(context(), "members", settings.described());
        MembersFigures figures;
        try (MembersSite site = site(settings, report.folder())) {
            figures = new MembersRun(settings, site, context()::line).measure();
        }
        figures.measures().forEach(report::add);
        figures.claims().forEach(report::add);
        List<String> lines = new ArrayList<>(report.table());
        lines.addAll(figures.lines());
        return report.finish(lines, figures.wrongLines());
    }

    private MembersSite site(MembersSettings settings, Path folder)
            throws IOException, CommandException, InterruptedException {
        return settings.servers() == 1
                ? MembersSite.alone(settings, folder)
                : MembersSite.onCluster(
                        settings,
                        ClusterUnderLoad.start(context().home(), options().devCluster(), folder));
    }

    private MembersSettings settings() throws CommandException {
        Population population = new Population(
                inRange("--groups", groups.orElse(options().isBrief() ? 10 : 100), 1, MOST_GROUPS),
                inRange("--members", members, 1, MOST_MEMBERS),
                inRange("--partitions", partitions, 1, MOST_PARTITIONS));
        int number = inRange("--servers", servers, 1, MOST_SERVERS);
        if (number > population.members() || number > population.partitions()) {
            throw CommandException.usage("--servers: at most --members and --partitions, so that each server has some");
        }
        if ((long) population.groups() * population.members() > MOST_IN_ALL) {
            throw CommandException.usage("--groups times --members: at most " + MOST_IN_ALL);
        }
        return new MembersSettings(
                number,
                population,
                new MembersSettings.Intervals(renewInterval(), lookInterval(population.members())),
                options().warmUp(),
                measured(),
                inRange("--connections", connections, 1, 1_000),
                new ServerSetup(work(), options().jvm(), options().set()));
    }

    private Duration measured() throws CommandException {
        double given = inRange("--minutes", minutes.orElse(options().isBrief() ? 0.25 : 1), 0.01, 1_440);
        return ofSeconds(given * SECONDS_PER_MINUTE);
    }

    private Duration renewInterval() throws CommandException {
        return renew.isPresent() ? interval("renew", renew.get(), "") : MembersSettings.sdkRenew();
    }

    private Duration lookInterval(int inGroup) throws CommandException {
        if (look.isEmpty()) {
            return MembersSettings.sdkLook(inGroup);
        }
        return look.get() == 0 ? Duration.ZERO : interval("look", look.get(), "0, or ");
    }

    /** @param also further values that are expected, with what separates them from the others */
    private static Duration interval(String name, double seconds, String also) throws CommandException {
        if (!(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS)) {
            throw CommandException.usage(format(
                    "--%s: %s (expected: %s%.2f..%.0f seconds)", name, seconds, also, LEAST_SECONDS, MOST_SECONDS));
        }
        return ofSeconds(seconds);
    }

    private static Duration ofSeconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * NANOS));
    }
}
