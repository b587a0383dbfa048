// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.talos.check.nemesis.Fault.Company;
import org.talos.check.workload.PassingTopic;

/**
 * Deletions of topics that are in use, by themselves and in the middle of what else happens to their partitions.
 * Confined: the main thread.
 */
final class TopicFaults {
    private static final Duration DELETED_WITHIN = Duration.ofSeconds(3);

    private final SystemUnderTest system;
    private final Dice dice;
    private final List<? extends PassingTopic> topics;

    /** @param topics that may be deleted at any time, and are then re-created */
    TopicFaults(SystemUnderTest system, Dice dice, List<? extends PassingTopic> topics) {
        this.system = system;
        this.dice = dice;
        this.topics = List.copyOf(topics);
    }

    /** The short faults. */
    List<Supplier<Fault>> quick() {
        List<Supplier<Fault>> all = new ArrayList<>(List.of(this::deleted, this::deletedDuringKill));
        if (system.shape().isShared()) {
            all.add(this::deletedDuringMove);
        }
        return all;
    }

    private PassingTopic topic() {
        return topics.get(dice.below(topics.size()));
    }

    private int server() {
        return dice.below(system.shape().servers());
    }

    private Fault deleted() {
        PassingTopic topic = topic();
        return new Fault(
                "topic deleted",
                "topic " + topic.name() + " is deleted",
                DELETED_WITHIN,
                Company.ANY,
                topic::delete,
                () -> {});
    }

    private Fault deletedDuringKill() {
        PassingTopic topic = topic();
        int server = server();
        return new Fault(
                "topic deleted while a server is killed",
                "topic " + topic.name() + " is deleted, and kill -9 server " + server,
                dice.upTo(10),
                Company.WITHIN,
                () -> {
                    topic.delete();
                    system.server(server).kill();
                },
                () -> system.server(server).start());
    }

    private Fault deletedDuringMove() {
        PassingTopic topic = topic();
        int partition = dice.below(topic.partitions());
        int server = server();
        return new Fault(
                "topic deleted while its partition moves",
                "topic " + topic.name() + " is deleted, and its partition " + partition + " moves to server " + server,
                DELETED_WITHIN,
                Company.WITHIN,
                () -> {
                    system.operators().moveIfThere(topic.name(), partition, SystemUnderTest.id(server));
                    topic.delete();
                },
                () -> {});
    }
}
