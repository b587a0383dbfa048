// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The document of {@code top -o json}. Immutable. */
record TopDocument(List<Topic> topics, List<Group> groups) {
    record Topic(
            String topic,
            int partitions,
            OptionalDouble putsPerSecond,
            OptionalDouble putBytesPerSecond,
            OptionalLong bytes,
            OptionalLong messages,
            OptionalLong lag) {}

    record Group(String topic, String group, int members, OptionalDouble commitsPerSecond, OptionalLong lag) {}

    static TopDocument of(Sample before, Sample now) {
        return new TopDocument(
                Row.ofTopics(before, now).stream()
                        .map(row -> new Topic(
                                row.name(),
                                row.parts(),
                                known(row.perSecond()),
                                known(row.bytesPerSecond()),
                                row.bytes(),
                                row.messages(),
                                row.lag()))
                        .toList(),
                Row.ofGroups(before, now).stream()
                        .map(row -> new Group(row.topic(), row.name(), row.parts(), known(row.perSecond()), row.lag()))
                        .toList());
    }

    private static OptionalDouble known(double rate) {
        return Double.isNaN(rate) ? OptionalDouble.empty() : OptionalDouble.of(rate);
    }
}
