// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.talos.bench.engine.LoadJvm;
import org.talos.bench.hostile.wire.ForeignBytesException;

/**
 * The process that attacks: reads whom from its standard input, attacks until that ends, and prints as JSON what became
 * of each kind of attack.
 *
 * <p>Confined: main; what its threads share is thread-safe.
 */
public final class HostileProcess {
    private static final long PAUSE_MILLIS = 20; // after a connection that ended
    private static final long END_MILLIS = 10_000;

    private final Victim victim;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Map<Attack, Tally> tallies = new EnumMap<>(Attack.class);
    private final List<Thread> threads = new ArrayList<>();

    private HostileProcess(Victim victim) {
        this.victim = victim;
    }

    /** Attacks until standard input ends. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        LoadJvm.serve(Victim.class, victim -> {
            HostileProcess process = new HostileProcess(victim);
            process.begin();
            return process::end;
        });
    }

    private void begin() throws IOException {
        byte[] page = PublicPage.of(victim);
        for (Attack each : victim.attacks()) {
            Tally tally = new Tally();
            tallies.put(each, tally);
            for (int i = 0; i < each.threads(); i++) {
                long seed = victim.seed() + threads.size();
                Thread thread = new Thread(
                        () -> attack(each, tally, new HostileRequests(victim, tally, page, seed)),
                        each.label() + "-" + i);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        }
    }

    private void attack(Attack attack, Tally tally, HostileRequests requests) {
        try {
            do {
                attackOnce(attack, tally, requests);
            } while (!ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void attackOnce(Attack attack, Tally tally, HostileRequests requests) {
        try (Attacker attacker = attack.begin(requests)) {
            while (ended.getCount() > 0) {
                attacker.round();
            }
        } catch (ForeignBytesException e) {
            tally.foreign(e.what());
        } catch (ConnectException e) {
            tally.unconnected();
        } catch (IOException e) {
            tally.cut();
        }
    }

    private Map<Attack, Tally.Counts> end() throws InterruptedException {
        ended.countDown();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        for (Thread each : threads) {
            each.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
        }
        Map<Attack, Tally.Counts> counts = new EnumMap<>(Attack.class);
        tallies.forEach((attack, tally) -> counts.put(attack, tally.counts()));
        return counts;
    }
}
