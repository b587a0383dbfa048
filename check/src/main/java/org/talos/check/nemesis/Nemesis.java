// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;

/**
 * Injects one fault after another, with pauses between, as a seed decides, and heals everything at the end.
 *
 * <p>Confined: the main thread.
 */
public final class Nemesis {
    static final int PROCESS = 0;
    static final String NAME = "nemesis";
    private static final int LEAST_CALM_MILLIS = 3_000;
    private static final int MORE_CALM_MILLIS = 4_000;

    /** Receives a line for each fault. */
    @FunctionalInterface
    public interface Listener {
        void line(String text) throws IOException;
    }

    private final SystemUnderTest system;
    private final Faults faults;
    private final Random random;
    private final Recorder recorder;
    private final Listener listener;
    private final long began = System.nanoTime();

    /**
     * Creates the nemesis; injects nothing yet.
     *
     * @param listener gets a line for each fault
     */
    public Nemesis(SystemUnderTest system, Faults faults, long seed, Recorder recorder, Listener listener) {
        this.system = system;
        this.recorder = recorder;
        this.listener = listener;
        this.faults = faults;
        random = new Random(seed);
    }

    /** Injects faults for this time; a fault that has begun is ended. */
    public void rage(Duration duration) throws IOException, InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        while (true) {
            Thread.sleep(LEAST_CALM_MILLIS + random.nextInt(MORE_CALM_MILLIS));
            if (System.nanoTime() - end >= 0) {
                return;
            }
            system.startEnded(); // HBase's daemons end when they have been without ZooKeeper or HDFS for too long
            inject(faults.next());
        }
    }

    private void inject(Fault fault) throws IOException, InterruptedException {
        report(fault.name());
        Recorder.Moment start = recorder.now();
        write(Kind.FAULT, start, fault);
        fault.begin().run();
        Thread.sleep(fault.hold().toMillis());
        Recorder.Moment end = recorder.now();
        fault.end().run();
        write(Kind.HEAL, end, fault);
    }

    /** Heals the network and starts every daemon and server that does not run. */
    public void heal() throws IOException, InterruptedException {
        report("all faults are repaired");
        system.heal();
    }

    private void report(String what) throws IOException {
        double seconds = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
        listener.line(String.format(Locale.ROOT, "%7.1f s  %s", seconds, what));
    }

    private void write(Kind kind, Recorder.Moment start, Fault fault) {
        recorder.add(Operation.of(PROCESS, kind, Outcome.OK, recorder.since(start))
                .by(NAME)
                .at(fault.kinds().stream().map(each -> Mark.at(each, 0)).toList())
                .noting(fault.name()));
    }
}
