// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.Scheduler;

/**
 * Those who create, grow, and delete topics, and those who have partitions moved.
 *
 * <p>Confined: the simulation's thread.
 */
final class Operators {
    private static final int MOST_TOPICS = 5;

    private final World world;
    private final Random random;
    private final Scheduler scheduler;
    private final Promises promises;
    private final Scheduler.Observer observer;
    private final List<Topic> topics = new ArrayList<>();

    Operators(World world, Promises promises, Scheduler.Observer observer) {
        this.world = world;
        random = world.random();
        scheduler = world.scheduler();
        this.promises = promises;
        this.observer = observer;
    }

    List<Topic> topics() {
        return List.copyOf(topics);
    }

    /** The logs of the topics that there are. */
    Stream<ModelLog> logs() {
        return topics().stream().filter(Topic::isThere).flatMap(topic -> topic.logs().stream());
    }

    Optional<ModelLog> anyLog() {
        return world.any(logs().toList());
    }

    private Optional<Topic> any(Predicate<Topic> which) {
        return world.any(topics.stream().filter(which).toList());
    }

    /** Creates a topic, often with the name of one that was deleted. */
    void createTopic() {
        if (topics.size() >= MOST_TOPICS) {
            return;
        }
        world.any(world.up()).ifPresent(by -> {
            int number = topics.size() + 1;
            String name = any(topic -> topic.deleted)
                    .filter(topic -> random.nextInt(4) > 0)
                    .map(topic -> topic.record.name())
                    .orElse("t" + number);
            Topic made = new Topic(number, name, 1 + random.nextInt(3), observer);
            topics.add(made);
            scheduler.note("CREATES " + made + " of " + made.record.partitions());
            by.create(made.record, () -> made.created = true);
        });
    }

    void growTopic() {
        any(Topic::isThere)
                .ifPresent(topic -> world.any(world.up()).ifPresent(by -> {
                    int more = topic.logs().size() + 1 + random.nextInt(2);
                    if (more <= Promises.MOST_PARTITIONS) {
                        scheduler.note("GROWS " + topic + " to " + more);
                        by.grow(topic.record, more, topic::grow);
                    }
                }));
    }

    void deleteTopic() {
        if (topics.stream().filter(Topic::isThere).count() > 1) {
            any(Topic::isThere)
                    .ifPresent(topic -> world.any(world.up()).ifPresent(by -> {
                        scheduler.note("DELETES " + topic);
                        topic.deleted = true;
                        promises.deletes(topic.record.topicId());
                        by.delete(topic.record);
                    }));
        }
    }

    /** Deletes what deleted topics have left. */
    void sweep() {
        topics.stream()
                .filter(topic -> topic.deleted)
                .forEach(topic -> world.any(world.up()).ifPresent(by -> {
                    by.delete(topic.record); // an earlier deletion may have failed
                    by.sweepLater(topic.record);
                }));
    }

    void move() {
        anyLog().ifPresent(moved -> world.any(world.up())
                .ifPresent(to -> world.any(world.up()).ifPresent(by -> {
                    scheduler.note("MOVE " + moved + "/" + moved.id().partition() + " to " + to.id);
                    by.asked(
                            "move",
                            admin -> admin.move(moved.id().topicId(), moved.id().partition(), to.id));
                })));
    }

    void rebalance() {
        world.any(world.up()).ifPresent(by -> by.asked("rebalance", admin -> admin.rebalance()));
    }

    void drain() {
        world.any(world.up())
                .ifPresent(drained -> world.any(world.up()).ifPresent(by -> {
                    scheduler.note("DRAIN " + drained.id);
                    by.asked("drain", admin -> admin.drain(drained.id));
                }));
    }

    void resume() {
        world.any(world.servers()).ifPresent(this::resume);
    }

    void resumeAll() {
        world.servers().forEach(this::resume);
    }

    private void resume(SimulatedServer drained) {
        world.any(world.up()).ifPresent(by -> {
            scheduler.note("RESUME " + drained.id);
            by.asked("resume", admin -> admin.resume(drained.id));
        });
    }
}
