// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a topic, or of a group, by two samples. Immutable.
 *
 * @param name of the topic or group
 * @param topic the group's; for a topic its own name
 * @param parts partitions of a topic, members of a group
 * @param rate of messages put, or committed
 * @param kept messages that a topic has; empty while that is not known, and of groups
 * @param lag of a group, or of all of a topic's groups together; empty while it is not known
 */
record Row(String name, String topic, int parts, Rate rate, Optional<Sample.Kept> kept, OptionalLong lag) {

    /**
     * A rate between two samples. Immutable.
     *
     * @param perSecond messages put, or committed; NaN after one sample alone, and while it is not known
     * @param bytesPerSecond of a topic: put messages times the mean size of its messages; otherwise 0
     */
    record Rate(double perSecond, double bytesPerSecond) {}

    double perSecond() {
        return rate.perSecond;
    }

    double bytesPerSecond() {
        return rate.bytesPerSecond;
    }

    /** Returns the number of a topic's messages; empty while it is unknown, and for groups. */
    OptionalLong messages() {
        return kept.map(each -> OptionalLong.of(each.messages())).orElseGet(OptionalLong::empty);
    }

    /** Returns the bytes that the messages of a topic take as they are stored; empty as they are. */
    OptionalLong bytes() {
        return kept.map(each -> OptionalLong.of(each.bytes())).orElseGet(OptionalLong::empty);
    }

    /** Returns a row for each topic of a sample, in its order; the same sample twice: none has rates. */
    static List<Row> ofTopics(Sample before, Sample now) {
        Map<String, Sample.Kept> earlier = new HashMap<>();
        before.topics().forEach(topic -> topic.kept().ifPresent(kept -> earlier.put(topic.name(), kept)));
        Map<String, List<Sample.Group>> groups =
                now.groups().stream().collect(Collectors.groupingBy(Sample.Group::topic));
        List<Row> rows = new ArrayList<>();
        for (Sample.Topic topic : now.topics()) {
            OptionalLong lag =
                    topic.allGroups() ? lag(groups.getOrDefault(topic.name(), List.of())) : OptionalLong.empty();
            rows.add(topic.kept()
                    .map(kept -> ofTopic(topic, kept, rate(before, now, earlier.get(topic.name()), kept), lag))
                    .orElseGet(() -> ofUnknown(topic, lag)));
        }
        return rows;
    }

    private static Row ofTopic(Sample.Topic topic, Sample.Kept kept, double rate, OptionalLong lag) {
        double size = kept.messages() == 0 ? 0 : kept.bytes() / (double) kept.messages();
        Rate both = new Rate(rate, rate * size);
        return new Row(topic.name(), topic.name(), topic.partitions(), both, Optional.of(kept), lag);
    }

    private static Row ofUnknown(Sample.Topic topic, OptionalLong lag) {
        Rate unknown = new Rate(Double.NaN, Double.NaN);
        return new Row(topic.name(), topic.name(), topic.partitions(), unknown, Optional.empty(), lag);
    }

    /** Returns a row for each group of a sample, in its order. */
    static List<Row> ofGroups(Sample before, Sample now) {
        Map<List<String>, Long> committed = new HashMap<>();
        before.groups().forEach(group -> committed.put(List.of(group.topic(), group.name()), group.committed()));
        List<Row> rows = new ArrayList<>();
        for (Sample.Group group : now.groups()) {
            double rate = rate(before, now, committed.get(List.of(group.topic(), group.name())), group.committed());
            rows.add(new Row(
                    group.name(), group.topic(), group.members(), new Rate(rate, 0), Optional.empty(), group.lag()));
        }
        return rows;
    }

    private static double rate(Sample before, Sample now, Sample.@Nullable Kept then, Sample.Kept kept) {
        return rate(before, now, then == null ? null : then.put(), kept.put());
    }

    private static double rate(Sample before, Sample now, @Nullable Long then, long count) {
        double seconds = (now.nanos() - before.nanos()) / (double) TimeUnit.SECONDS.toNanos(1);
        if (seconds <= 0 || then == null) {
            return Double.NaN;
        }
        return Math.max(0, count - then) / seconds; // a reset goes back
    }

    private static OptionalLong lag(List<Sample.Group> groups) {
        return groups.stream().allMatch(group -> group.lag().isPresent())
                ? OptionalLong.of(groups.stream()
                        .mapToLong(group -> group.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }
}
