// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
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
                + "partition.",
        mixinStandardHelpOptions = true)
public final class MembersCommand implements Callable<Integer> {
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

    private final CommandContext context;

    @Option(names = "--short", description = "10 groups and a quarter of a minute, for a quick look")
    private boolean brief;

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
            names = "--warmup",
            description =
                    "Seconds before each measured time, at most: it begins when the servers' compilers are quiet. "
                            + "Default: 60; short: 20")
    private Optional<Integer> warmUp = Optional.empty();

    @Option(
            names = "--connections",
            description = "At most, for each kind of call and server; all members share them. Default: 64")
    private int connections = 64;

    @Option(
            names = "--devcluster",
            paramLabel = "DIR",
            description =
                    "Of a development cluster, which continues afterwards. Default: one that is started and ended")
    private Optional<Path> devCluster = Optional.empty();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where a single server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: SERVICE_MEMBERTTL=60s")
    private Map<String, String> set = new HashMap<>();

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description = "JVM of a single server. Default: -Xms1g -Xmx1g -XX:MaxGCPauseMillis=20")
    private Optional<String> serverOptions = Optional.empty();

    /** Returns the command. */
    public MembersCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        MembersSettings settings = settings();
        RunReport report = RunReport.begin(context, "members", settings.described());
        MembersFigures figures;
        try (MembersSite site = site(settings, report.folder())) {
            figures = new MembersRun(settings, site, context::line).measure();
        }
        figures.measures().forEach(report::add);
        figures.claims().forEach(report::add);
        report.write();
        List<String> lines = new ArrayList<>(report.table());
        lines.addAll(figures.lines());
        figures.claims().stream().map(Claim::line).forEach(lines::add);
        lines.addAll(figures.wrongLines());
        Files.write(report.folder().resolve("members.txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
        context.line("report: " + report.folder());
        return figures.wrongLines().isEmpty() ? 0 : 1;
    }

    private MembersSite site(MembersSettings settings, Path folder)
            throws IOException, CommandException, InterruptedException {
        return settings.servers() == 1
                ? MembersSite.alone(settings, folder)
                : MembersSite.onCluster(settings, ClusterUnderLoad.start(context.home(), devCluster, folder));
    }

    private MembersSettings settings() throws CommandException {
        Population population = new Population(
                inRange("groups", groups.orElse(brief ? 10 : 100), 1, MOST_GROUPS),
                inRange("members", members, 1, MOST_MEMBERS),
                inRange("partitions", partitions, 1, MOST_PARTITIONS));
        int number = inRange("servers", servers, 1, MOST_SERVERS);
        if (number > population.members() || number > population.partitions()) {
            throw CommandException.usage("--servers: at most --members and --partitions, so that each server has some");
        }
        if ((long) population.groups() * population.members() > MOST_IN_ALL) {
            throw CommandException.usage("--groups times --members: at most " + MOST_IN_ALL);
        }
        return new MembersSettings(
                number,
                population,
                renew.isPresent() ? interval("renew", renew.get(), "") : MembersSettings.sdkRenew(),
                lookInterval(population.members()),
                Duration.ofSeconds(inRange("warmup", warmUp.orElse(brief ? 20 : 60), 0, 3_600)),
                measured(),
                inRange("connections", connections, 1, 1_000),
                data.orElse(RunFolder.work(context.home())),
                serverOptions
                        .map(each -> List.of(each.strip().split(" +")))
                        .orElseGet(() -> MeasuredServer.withHeap("1g")),
                set);
    }

    private Duration measured() throws CommandException {
        double given = minutes.orElse(brief ? 0.25 : 1);
        if (!(given >= 0.01 && given <= 1_440)) {
            throw CommandException.usage("--minutes: " + given + " (expected: 0.01..1440)");
        }
        return ofSeconds(given * SECONDS_PER_MINUTE);
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
            throw CommandException.usage(String.format(
                    Locale.ROOT,
                    "--%s: %s (expected: %s%.2f..%.0f seconds)",
                    name,
                    seconds,
                    also,
                    LEAST_SECONDS,
                    MOST_SECONDS));
        }
        return ofSeconds(seconds);
    }

    private static Duration ofSeconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * NANOS));
    }

    private static int inRange(String name, int given, int least, int most) throws CommandException {
        if (given < least || given > most) {
            throw CommandException.usage(
                    String.format(Locale.ROOT, "--%s: %d (expected: %d..%d)", name, given, least, most));
        }
        return given;
    }
}
