// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What two samples say of a topic, or of a group. Immutable.
 *
 * @param name of the topic or group
 * @param topic the group's; for a topic its own name
 * @param parts partitions of a topic, members of a group
 * @param perSecond messages put, or committed; NaN after one sample alone
 * @param bytesPerSecond of a topic: messages put by the mean size of those that it has; else 0
 * @param messages that a topic has; else 0
 * @param bytes that these take as they are stored; else 0
 * @param lag of a group, or of all of a topic's groups together; empty while it is not known
 * @param groups of a topic; else 0
 */
record Row(
        String name,
        String topic,
        int parts,
        double perSecond,
        double bytesPerSecond,
        long messages,
        long bytes,
        OptionalLong lag,
        int groups) {

    /** A row for each topic of a sample, in its order; the same sample twice: none has rates. */
    static List<Row> ofTopics(Sample before, Sample now) {
        Map<String, Long> put =
                before.topics().stream().collect(Collectors.toMap(Sample.Topic::name, Sample.Topic::put));
        Map<String, List<Sample.Group>> groups =
                now.groups().stream().collect(Collectors.groupingBy(Sample.Group::topic));
        List<Row> rows = new ArrayList<>();
        for (Sample.Topic topic : now.topics()) {
            double rate = rate(before, now, put.get(topic.name()), topic.put());
            double size = topic.messages() == 0 ? 0 : topic.bytes() / (double) topic.messages();
            List<Sample.Group> its = groups.getOrDefault(topic.name(), List.of());
            rows.add(new Row(
                    topic.name(),
                    topic.name(),
                    topic.partitions(),
                    rate,
                    rate * size,
                    topic.messages(),
                    topic.bytes(),
                    lag(its),
                    its.size()));
        }
        return rows;
    }

    /** A row for each group of a sample, in its order. */
    static List<Row> ofGroups(Sample before, Sample now) {
        Map<List<String>, Long> committed = new HashMap<>();
        before.groups().forEach(group -> committed.put(List.of(group.topic(), group.name()), group.committed()));
        List<Row> rows = new ArrayList<>();
        for (Sample.Group group : now.groups()) {
            double rate = rate(before, now, committed.get(List.of(group.topic(), group.name())), group.committed());
            rows.add(new Row(group.name(), group.topic(), group.members(), rate, 0, 0, 0, group.lag(), 0));
        }
        return rows;
    }

    private static double rate(Sample before, Sample now, @Nullable Long then, long count) {
        double seconds = (now.nanos() - before.nanos()) / (double) TimeUnit.SECONDS.toNanos(1);
        if (seconds <= 0 || then == null) {
            return Double.NaN;
        }
        return Math.max(0, count - then) / seconds; // a reset goes back, and so does a partition without a server
    }

    private static OptionalLong lag(List<Sample.Group> groups) {
        return groups.stream().allMatch(group -> group.lag().isPresent())
                ? OptionalLong.of(groups.stream()
                        .mapToLong(group -> group.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }
}
