// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.talos.bench.load.CompileTime;
import org.talos.bench.load.MeasuredServer;
import org.talos.launcher.local.ServerState;

/**
 * One run: the server at rest, with connections that wait, while one of them is woken, while all are, and after all
 * have left.
 *
 * <p>Confined: the main thread.
 */
final class IdleRun {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Until answers that are under way have come, and what they left is done. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    private static final Duration STEP = Duration.ofSeconds(1);
    private static final int STEPS_AT_MOST = 60;
    /** The JVM's compilers continue for a while with what came before. */
    private static final double QUIET_CORES = 0.05;
    /** A server starts a few threads late, whatever its connections do. */
    private static final int THREADS_THAT_MAY_COME = 24;
    /** Files that a server may have opened besides connections. */
    private static final int FILES_THAT_MAY_COME = 100;

    private static final String DIRECT = "talos_jvm_direct_bytes";

    private final Settings settings;
    private final MeasuredServer server;
    private final CompileTime compilers;
    private final WaitLoop loop;
    private final Lines lines;

    /** Receives figures. */
    interface Lines {
        void line(String text) throws IOException;
    }

    /**
     * The settings of a run. Immutable.
     *
     * @param alone connections of them that have a partition of their own: 1 and so on; all others have 0
     * @param wakes how often one of these is woken
     * @param rate connections that are opened in a second
     * @param time for which processor time is measured
     */
    record Settings(Kind kind, int connections, int alone, int wakes, int rate, Duration time) {
        /** That no connection waits on: puts go there while all are woken. */
        int besides() {
            return alone + 1;
        }

        int together() {
            return connections - alone;
        }
    }

    /** The server's use of resources, and how much of it is outside of its heap. Immutable. */
    private record State(ServerState process, double directBytes) {}

    /**
     * The server's work of its own accord. Immutable.
     *
     * @param cores processors that it keeps busy
     * @param compilers of these, what the JVM's compilers do: they end with what is new to them; NaN if not known
     */
    private record Busy(double cores, double compilers) {
        String described() {
            return format("%.2f %% of one processor (compilers %.2f)", 100 * cores, 100 * compilers);
        }
    }

    IdleRun(Settings settings, MeasuredServer server, WaitLoop loop, Lines lines) {
        this.settings = settings;
        this.server = server;
        compilers = CompileTime.of(server.pid());
        this.loop = loop;
        this.lines = lines;
    }

    /** Runs it; whether all connections got what they waited for, and cost no threads. */
    boolean run() throws IOException {
        warmUp();
        Busy rest = busy();
        State before = state();
        openAll();
        State waiting = state();
        settle();
        long asked = loop.asked();
        long signs = loop.signs();
        Busy busy = busy();
        lines.line(format(
                "connections      %d %s, %d failed",
                settings.connections(), settings.kind().described(), loop.failed()));
        lines.line(format(
                "requests         %d while they wait, %d heartbeats from the server",
                loop.asked() - asked, loop.signs() - signs));
        lines.line(format(
                "cpu              %s at rest, %s while they wait, over %d s",
                rest.described(), busy.described(), settings.time().toSeconds()));
        printStates(before, waiting);
        wakeOne();
        wakeAll();
        boolean threads = waiting.process().threads() <= before.process().threads() + THREADS_THAT_MAY_COME;
        return leave(before) && threads && isSound();
    }

    /** Each partition has a message, as the first one of a partition is another matter: its files are made for it. */
    private void warmUp() throws IOException {
        for (int partition = 0; partition < settings.besides(); partition++) {
            loop.put(partition, PATIENCE);
        }
        loop.beginPuts(settings.besides());
        loop.hold(SETTLE);
        var unused = loop.endPuts();
        settle();
    }

    /** Until the server does what it does at rest, and nothing of what was before. */
    private void settle() throws IOException {
        for (int step = 0, quiet = 0; step < STEPS_AT_MOST && quiet < 3; step++) {
            double used = server.cpuSeconds();
            loop.hold(STEP);
            quiet = server.cpuSeconds() - used < QUIET_CORES * STEP.toSeconds() ? quiet + 1 : 0;
        }
    }

    private Busy busy() throws IOException {
        double used = server.cpuSeconds();
        double compiled = compilers.seconds().orElse(Double.NaN);
        long begin = System.nanoTime();
        loop.hold(settings.time());
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Busy(
                (server.cpuSeconds() - used) / seconds,
                Math.max(0, compilers.seconds().orElse(Double.NaN) - compiled) / seconds); // one may have ended
    }

    private State state() throws IOException {
        double direct = server.metrics().value(DIRECT);
        return new State(server.state(), direct);
    }

    private void openAll() throws IOException {
        long begin = System.nanoTime();
        for (int opened = 0; opened < settings.connections(); opened++) {
            int partition = opened < settings.alone() ? opened + 1 : 0;
            double due = (double) opened / settings.rate();
            double now = (System.nanoTime() - begin) / 1e9;
            loop.hold(Duration.ofNanos((long) (1e9 * Math.max(0, due - now))));
            loop.open(partition);
        }
        if (settings.kind() == Kind.POLL) {
            loop.hold(SETTLE); // nothing is answered to clients that only wait
        } else if (!loop.until(() -> loop.failed() > 0 || loop.opened() >= settings.connections(), PATIENCE)) {
            throw new IOException("only " + loop.opened() + " connections were opened");
        }
    }

    private void printStates(State before, State waiting) throws IOException {
        int added = settings.connections();
        lines.line("resident         "
                + memory((double) before.process.residentBytes(), (double) waiting.process.residentBytes(), added));
        lines.line("heap alive       "
                + memory((double) before.process.heapBytes(), (double) waiting.process.heapBytes(), added));
        lines.line("direct           " + memory(before.directBytes, waiting.directBytes, added));
        lines.line(format(
                "threads          %d before, %d with them", before.process.threads(), waiting.process.threads()));
    }

    private static String memory(double before, double after, int connections) {
        return format(
                "%.0f MiB before, %.0f MiB with them: %.0f bytes a connection",
                before / (1 << 20), after / (1 << 20), (after - before) / connections);
    }

    private void wakeOne() throws IOException {
        for (int partition = 1; partition <= settings.alone() && loop.failed() == 0; partition++) {
            var unused = loop.wake(partition, 1, PATIENCE); // on a new connection
        }
        List<Long> single = new ArrayList<>();
        for (int wake = 0; wake < settings.wakes() && loop.failed() == 0; wake++) {
            single.addAll(loop.wake(1 + wake % settings.alone(), 1, PATIENCE));
        }
        lines.line("put that wakes 1 " + described(single));
    }

    private void wakeAll() throws IOException {
        loop.beginPuts(settings.besides());
        loop.hold(SETTLE);
        List<Long> without = loop.endPuts();
        loop.beginPuts(settings.besides());
        double used = server.cpuSeconds();
        List<Long> all = loop.wake(0, settings.together(), PATIENCE);
        List<Long> meanwhile = loop.endPuts();
        lines.line(format("put that wakes all %s; %.1f s of a processor", described(all), server.cpuSeconds() - used));
        lines.line("puts meanwhile   " + described(meanwhile));
        lines.line("puts without it  " + described(without));
        lines.line(format("resident at most %d MiB", server.mostResidentBytes() >> 20));
    }

    /** Returns figures of latencies in nanoseconds, in words. */
    private static String described(List<Long> nanos) {
        if (nanos.isEmpty()) {
            return "no answer";
        }
        List<Long> sorted = nanos.stream().sorted().toList();
        return format(
                "P50 %.2f ms, P99 %.2f ms, most %.2f ms of %d",
                at(sorted, 0.50), at(sorted, 0.99), at(sorted, 1), sorted.size());
    }

    private static double at(List<Long> sorted, double share) {
        int index = (int) Math.ceil(share * sorted.size()) - 1;
        return sorted.get(Math.max(0, index)) / 1e6;
    }

    /** All leave; whether the server has nothing left of them. */
    private boolean leave(State before) throws IOException {
        long begin = System.nanoTime();
        loop.close();
        long files = server.openFiles();
        while (files > before.process.openFiles() + FILES_THAT_MAY_COME
                && System.nanoTime() - begin < PATIENCE.toNanos()) {
            files = server.openFiles();
        }
        boolean gone = files <= before.process.openFiles() + FILES_THAT_MAY_COME;
        lines.line(format(
                "all left         %s after %.1f s",
                gone ? "nothing of them is open" : "files are still open", (System.nanoTime() - begin) / 1e9));
        return gone;
    }

    private boolean isSound() throws IOException {
        if (loop.failed() > 0) {
            lines.line(format("WRONG            %d connections failed, first: %s", loop.failed(), loop.firstFailure()));
        }
        return loop.failed() == 0;
    }
}
