// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.talos.check.nemesis.Fault.Company;
import org.talos.check.workload.PassingTopic;

/**
 * Draws faults one after another, each kind once before any is repeated; a seed decides their order and targets. In a
 * long run now and then two at the same time.
 *
 * <p>Confined: the main thread.
 */
public final class Faults {
    private static final int TWO_ONE_IN = 3;

    private static final int TRIES = 1_000;

    private final boolean brief;
    private final List<String> only;
    private final Dice dice;
    private final ServerFaults servers;
    private final List<Supplier<Fault>> quick = new ArrayList<>();
    private final List<Supplier<Fault>> slow = new ArrayList<>();
    private final Deque<Supplier<Fault>> left = new ArrayDeque<>();
    private final Deque<Fault> putOff = new ArrayDeque<>();

    /**
     * Creates the sequence of a seed; draws nothing yet. Nothing of the system is used before a fault begins.
     *
     * @param partitions of the topic that may be moved
     * @param topics that may be deleted
     * @param brief without long faults
     * @param only what the names of faults are to have in them, one of these; empty: all faults
     */
    public Faults(
            SystemUnderTest system,
            int partitions,
            List<? extends PassingTopic> topics,
            boolean brief,
            List<String> only,
            long seed) {
        this.brief = brief;
        this.only = List.copyOf(only);
        dice = new Dice(seed, brief);
        servers = new ServerFaults(system, dice);
        add(servers.quick(), servers.slow());
        JournalFaults journals = new JournalFaults(system, dice);
        add(journals.quick(), List.of());
        TopicFaults deletions = new TopicFaults(system, dice, topics);
        add(deletions.quick(), List.of());
        if (!system.shape().local()) {
            DaemonFaults daemons = new DaemonFaults(system, dice);
            add(daemons.quick(), daemons.slow());
            CutFaults cuts = new CutFaults(system, dice);
            add(cuts.quick(), cuts.slow());
        }
        if (system.shape().hasEnsemble()) {
            ZooKeeperFaults ensemble = new ZooKeeperFaults(system, dice);
            add(ensemble.quick(), ensemble.slow());
        }
        if (system.shape().isShared()) {
            ClusterFaults cluster = new ClusterFaults(system, dice, partitions);
            add(cluster.quick(), cluster.slow());
        }
    }

    private void add(List<Supplier<Fault>> someQuick, List<Supplier<Fault>> someSlow) {
        quick.addAll(someQuick);
        slow.addAll(someSlow);
    }

    /** Draws the next faults and returns their names; call it on a second instance with the same seed. */
    public List<String> plan(int count) {
        return Stream.generate(this::next).limit(count).map(Fault::name).toList();
    }

    Fault next() {
        Fault one = drawn();
        if (brief || one.company() == Company.NONE || dice.below(TWO_ONE_IN) > 0) {
            return one;
        }
        Fault other = drawn();
        if (one.mayEnclose(other)) {
            return one.around(other);
        }
        if (other.mayEnclose(one)) {
            return other.around(one);
        }
        putOff.add(other);
        return one;
    }

    private Fault drawn() {
        Fault waiting = putOff.poll();
        if (waiting != null) {
            return waiting;
        }
        for (int i = 0; i < TRIES; i++) {
            if (left.isEmpty()) {
                refill();
            }
            Fault fault = left.remove().get();
            if (only.isEmpty() || only.stream().anyMatch(fault.name()::contains)) {
                return fault;
            }
        }
        throw new IllegalArgumentException("no fault has in its name any of " + only);
    }

    /** Puts two kinds of faults first, since a short run may have no time for all. */
    private void refill() {
        List<Supplier<Fault>> round = new ArrayList<>(quick);
        if (!brief) {
            round.addAll(slow);
        }
        dice.shuffle(round);
        if (brief) {
            left.add(servers::killed);
            left.add(servers::rollingRestart);
        }
        left.addAll(round);
    }
}
