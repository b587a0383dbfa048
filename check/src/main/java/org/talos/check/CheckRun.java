// SPDX-License-Identifier: Apache-2.0
package org.talos.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.talos.check.history.Recorder;
import org.talos.check.nemesis.Aftermath;
import org.talos.check.nemesis.Faults;
import org.talos.check.nemesis.Nemesis;
import org.talos.check.nemesis.Samples;
import org.talos.check.nemesis.Shape;
import org.talos.check.nemesis.SystemUnderTest;
import org.talos.check.verdict.Verdict;
import org.talos.check.workload.Workload;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.DaemonJars;
import org.talos.launcher.local.Folders;

/**
 * One run of the checker: starts servers and clients, injects faults, heals the cluster, reads everything a last time,
 * and gives the verdict.
 *
 * <p>Confined: the main thread.
 */
final class CheckRun {
    private static final int PARTITIONS = 12;
    private static final int PLANNED = 20;
    private static final int WORKERS_OF_A_KIND = 2;
    private static final int WRITERS_OF_A_KIND = 4;
    private static final int WRITERS_IN_BRIEF = 2;
    private static final int MEMBERS = 2;
    /** The time by which clients and servers have created everything that they keep. */
    private static final Duration SETTLED = Duration.ofMinutes(10);
    /** More than servers wait, a minute at most, before they try again to delete what a topic has left. */
    private static final Duration SWEPT_WITHIN = Duration.ofSeconds(100);

    private final CommandContext context;
    private final Settings settings;
    private final Path folder;

    /**
     * The settings of a run. Immutable.
     *
     * @param shape servers and what they use
     * @param set environment of the servers without {@code TALOS_}, over what they get anyway
     * @param faults how long faults are injected
     * @param brief without faults that take long
     * @param only what the names of faults are to have in them, one of these; empty: all faults
     * @param ending time limit of the last reads, in seconds
     */
    record Settings(
            Shape shape,
            Map<String, String> set,
            Duration faults,
            boolean brief,
            List<String> only,
            long seed,
            long ending) {
        Settings {
            only = List.copyOf(only);
            set = Map.copyOf(set);
        }
    }

    /** @param folder where all files go; the daemons' and servers' data does not stay */
    CheckRun(CommandContext context, Settings settings, Path folder) {
        this.context = context;
        this.settings = settings;
        this.folder = folder;
    }

    Verdict run() throws IOException, CommandException, TalosClientException, InterruptedException {
        Path site = folder.resolve("site");
        Path jars = DaemonJars.of(context.home());
        try (SystemUnderTest started = SystemUnderTest.start(
                        jars, Files.createDirectories(site), settings.shape(), settings.set(), context::line);
                Recorder recorder = new Recorder(folder.resolve("history.jsonl"));
                Workload workload =
                        new Workload(recorder, started.endpoints(), PARTITIONS, times(started), settings.seed())) {
            int writers = settings.brief() ? WRITERS_IN_BRIEF : WRITERS_OF_A_KIND;
            workload.start(WORKERS_OF_A_KIND, writers, MEMBERS);
            tellPlan(faults(started, workload));
            Nemesis nemesis = new Nemesis(started, faults(started, workload), settings.seed(), recorder, context::line);
            rage(nemesis, new Samples(started, recorder));
            nemesis.heal();
            workload.finish(settings.ending());
            Aftermath aftermath = new Aftermath(started, recorder);
            aftermath.recordLeftovers(SWEPT_WITHIN);
            aftermath.recordTraces();
            Verdict verdict = Verdict.of(recorder.operations());
            Files.write(folder.resolve("verdict.txt"), verdict.lines());
            return verdict;
        } finally {
            keepLogs(site);
            Folders.delete(site);
        }
    }

    /** Looks at what servers use when it has settled and at the end, both with clients at work. */
    private void rage(Nemesis nemesis, Samples samples) throws IOException, InterruptedException {
        Duration rest = settings.faults().minus(SETTLED);
        if (rest.compareTo(SETTLED) < 0) {
            nemesis.rage(settings.faults());
            return;
        }
        nemesis.rage(SETTLED);
        samples.record();
        nemesis.rage(rest);
        samples.record();
    }

    private static Workload.Times times(SystemUnderTest system) {
        return new Workload.Times(SystemUnderTest.MEMBER_TTL, system.deletedForAll());
    }

    private void tellPlan(Faults faults) throws IOException, CommandException {
        try {
            context.line("plan: " + String.join("; ", faults.plan(PLANNED)) + "; …");
        } catch (IllegalArgumentException e) {
            throw CommandException.usage(String.valueOf(e.getMessage()));
        }
    }

    /** Creates the faults of the run; every call draws the same sequence. */
    private Faults faults(SystemUnderTest system, Workload workload) {
        return new Faults(system, PARTITIONS, workload.passing(), settings.brief(), settings.only(), settings.seed());
    }

    /** Copies the logs of servers and daemons to the report and deletes their data. */
    private void keepLogs(Path site) throws IOException {
        Path logs = Files.createDirectories(folder.resolve("logs"));
        for (Path from : new Path[] {site, site.resolve("cluster").resolve("logs")}) {
            if (!Files.isDirectory(from)) {
                continue;
            }
            try (var files = Files.list(from)) {
                for (Path each :
                        files.filter(file -> file.toString().endsWith(".log")).toList()) {
                    Files.move(each, logs.resolve(each.getFileName()));
                }
            }
        }
    }
}
