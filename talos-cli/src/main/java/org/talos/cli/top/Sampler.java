// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
 * Queries the servers about topics and groups: three calls for a topic and one for each group, up to a limit.
 *
 * <p>Confined: one thread at a time.
 */
final class Sampler {
    static final int MOST_TOPICS = 100;
    private static final int MOST_GROUPS = 200;

    private static final String GONE = "_NOT_EXIST";
    private static final String NOT_SERVED = "PARTITION_NOT_SERVING";
    private static final String NO_ANSWER = "CONNECTION";

    private final int servers;
    private final TalosAdmin list;
    private final TalosAdmin admin;
    private final GroupAdmin groups;
    private final Predicate<String> wanted;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final int mostTopics;
    private final int mostGroups;

    /** A topic, and those of its groups for which there is room. Immutable. */
    private record Found(Sample.Topic topic, List<Sample.Group> groups) {}

    /**
     * Creates a sampler of a user's topics.
     *
     * @param servers number of servers that the client knows
     * @param wanted names of topics
     */
    Sampler(TalosClient client, int servers, Predicate<String> wanted, InstantSource clock, LongSupplier nanos) {
        this(client, servers, wanted, clock, nanos, MOST_TOPICS, MOST_GROUPS);
    }

    Sampler(
            TalosClient client,
            int servers,
            Predicate<String> wanted,
            InstantSource clock,
            LongSupplier nanos,
            int mostTopics,
            int mostGroups) {
        this.servers = servers;
        this.list = new TalosAdmin(client);
        // A client would search half a minute for the server of a partition, and all other topics would wait for it.
        TalosClient once = client.once();
        this.admin = new TalosAdmin(once);
        this.groups = new GroupAdmin(once);
        this.wanted = wanted;
        this.clock = clock;
        this.nanos = nanos;
        this.mostTopics = mostTopics;
        this.mostGroups = mostGroups;
    }

    /** Takes a sample of the present state. */
    Sample take() throws TalosClientException {
        List<TopicDescription> all = list.listTopics().stream()
                .filter(topic -> wanted.test(topic.name()))
                .sorted(Comparator.comparing(TopicDescription::name))
                .toList();
        List<Sample.Topic> topics = new ArrayList<>();
        List<Sample.Group> found = new ArrayList<>();
        long begun = nanos.getAsLong();
        int gone = 0;
        for (TopicDescription topic : all.subList(0, Math.min(mostTopics, all.size()))) {
            try {
                Found answer = ask(topic, mostGroups - found.size());
                topics.add(answer.topic);
                found.addAll(answer.groups);
            } catch (TalosClientException e) {
                if (!isGone(e)) {
                    throw e;
                }
                gone++;
            }
        }
        return new Sample(begun, clock.instant(), topics, found, all.size() - gone);
    }

    /** Returns whether it was deleted since it was listed. */
    private static boolean isGone(TalosClientException e) {
        return e.code().endsWith(GONE);
    }

    /** Asks for a topic; where a server does not answer, the next one. */
    private Found ask(TopicDescription topic, int room) throws TalosClientException {
        for (int left = servers; true; left--) {
            try {
                return find(topic, room);
            } catch (TalosClientException e) {
                if (left <= 1 || !e.code().equals(NO_ANSWER)) {
                    throw e;
                }
            }
        }
    }

    private Found find(TopicDescription topic, int room) throws TalosClientException {
        Optional<Sample.Kept> kept = Optional.empty();
        List<Sample.Group> topicGroups = new ArrayList<>();
        boolean all = false;
        try {
            kept = Optional.of(kept(admin.sizes(topic.name())));
            all = addGroups(topic.name(), room, topicGroups);
        } catch (TalosClientException e) {
            if (!e.code().equals(NOT_SERVED)) {
                throw e; // otherwise it is shown with the known figures
            }
        }
        return new Found(new Sample.Topic(topic.name(), topic.partitions(), kept, all), topicGroups);
    }

    private static Sample.Kept kept(List<PartitionSize> sizes) {
        return new Sample.Kept(
                sizes.stream().mapToLong(PartitionSize::end).sum(),
                sizes.stream().mapToLong(PartitionSize::messages).sum(),
                sizes.stream().mapToLong(PartitionSize::bytes).sum());
    }

    /** Adds the groups of a topic; false: not all of them, as there is no room for more. */
    private boolean addGroups(String topic, int room, List<Sample.Group> topicGroups) throws TalosClientException {
        for (String name : groups.list(topic)) {
            if (topicGroups.size() == room) {
                return false;
            }
            try {
                topicGroups.add(group(topic, name));
            } catch (TalosClientException e) {
                if (!isGone(e)) {
                    throw e;
                }
            }
        }
        return true;
    }

    private Sample.Group group(String topic, String name) throws TalosClientException {
        GroupDescription group = groups.describe(topic, name);
        long committed = group.partitions().stream()
                .mapToLong(each -> each.committed().orElse(0))
                .sum();
        return new Sample.Group(topic, name, group.members().size(), committed, group.lag());
    }
}
