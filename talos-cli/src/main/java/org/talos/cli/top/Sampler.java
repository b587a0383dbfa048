// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.PartitionSize;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Asks the servers what topics and groups hold: two calls for a topic and one for each group, of so many at most.
 *
 * <p>Confined: one thread at a time.
 */
final class Sampler {
    static final int MOST_TOPICS = 100;
    static final int MOST_GROUPS = 200;

    private static final String GONE = "_NOT_EXIST";

    private final TalosAdmin admin;
    private final GroupAdmin groups;
    private final Predicate<String> wanted;
    private final InstantSource clock;
    private final LongSupplier nanos;

    /**
     * A sampler of a user's topics.
     *
     * @param wanted names of topics
     */
    Sampler(TalosClient client, Predicate<String> wanted, InstantSource clock, LongSupplier nanos) {
        this.admin = new TalosAdmin(client);
        this.groups = new GroupAdmin(client);
        this.wanted = wanted;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** What there is now. */
    Sample take() throws TalosClientException {
        List<TopicDescription> all = admin.listTopics().stream()
                .filter(topic -> wanted.test(topic.name()))
                .sorted(Comparator.comparing(TopicDescription::name))
                .toList();
        List<Sample.Topic> topics = new ArrayList<>();
        List<Sample.Group> found = new ArrayList<>();
        long begun = nanos.getAsLong();
        for (TopicDescription topic : all.subList(0, Math.min(MOST_TOPICS, all.size()))) {
            try {
                topics.add(topic(topic));
                addGroups(topic.name(), found);
            } catch (TalosClientException e) {
                if (!e.code().endsWith(GONE)) {
                    throw e; // else it was deleted since it was listed
                }
            }
        }
        return new Sample(begun, clock.instant(), topics, found, all.size());
    }

    private Sample.Topic topic(TopicDescription topic) throws TalosClientException {
        List<PartitionSize> sizes = admin.sizes(topic.name());
        return new Sample.Topic(
                topic.name(),
                topic.partitions(),
                sizes.stream().mapToLong(PartitionSize::end).sum(),
                sizes.stream().mapToLong(PartitionSize::messages).sum(),
                sizes.stream().mapToLong(PartitionSize::bytes).sum());
    }

    private void addGroups(String topic, List<Sample.Group> found) throws TalosClientException {
        for (String name : groups.list(topic)) {
            if (found.size() == MOST_GROUPS) {
                return;
            }
            GroupDescription group = groups.describe(topic, name);
            long committed = group.partitions().stream()
                    .mapToLong(each -> each.committed().orElse(0))
                    .sum();
            found.add(new Sample.Group(topic, name, group.members().size(), committed, group.lag()));
        }
    }
}
