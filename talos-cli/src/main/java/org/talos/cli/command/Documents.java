// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.talos.cli.Profile;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.OrgQuota;
import org.talos.client.admin.PartitionSize;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.TopicRight;
import org.talos.client.admin.UserDescription;
import org.talos.common.name.MemberKind;
import org.talos.common.name.Skew;

/**
 * The documents that {@code -o json} prints, with REST's names where REST has the thing. Programs read them: a member
 * may be added, but none is renamed; one that is missing is not known or unbounded. Immutable.
 */
final class Documents {
    private Documents() {}

    /** Returns the document of a change: names and values in turn. */
    static Map<String, String> done(String what, String... namesAndValues) {
        Map<String, String> document = new LinkedHashMap<>();
        document.put("done", what);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            document.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return document;
    }

    record Topic(
            String name,
            String owner,
            String resourceName,
            int partitions,
            long retentionSeconds,
            String partitioner,
            Optional<Skews> skew,
            Optional<List<PartitionSize>> partitionStates) {
        static Topic of(TopicDescription topic) {
            return new Topic(
                    topic.name(),
                    topic.owner(),
                    topic.resourceName(),
                    topic.partitions(),
                    topic.retention().toSeconds(),
                    topic.partitioner(),
                    Optional.empty(),
                    Optional.empty());
        }

        Topic with(List<PartitionSize> sizes, Skews skews) {
            return new Topic(
                    name,
                    owner,
                    resourceName,
                    partitions,
                    retentionSeconds,
                    partitioner,
                    skews.messages().isPresent() ? Optional.of(skews) : Optional.empty(),
                    Optional.of(sizes));
        }
    }

    /** How unevenly a topic's partitions are filled. */
    record Skews(Optional<Skew> messages, Optional<Skew> bytes) {
        static Skews of(List<PartitionSize> sizes) {
            return new Skews(
                    Skew.of(sizes.stream().map(PartitionSize::messages).toList()),
                    Skew.of(sizes.stream().map(PartitionSize::bytes).toList()));
        }
    }

    record Topics(List<Topic> topics) {}

    record Rights(List<Right> rights) {
        static Rights of(List<TopicRight> rights) {
            return new Rights(rights.stream()
                    .map(each -> new Right(
                            each.grantee().id(),
                            each.rights().contains(org.talos.client.admin.Right.PUT),
                            each.rights().contains(org.talos.client.admin.Right.GET)))
                    .toList());
        }
    }

    record Right(String grantee, boolean put, boolean get) {}

    record Users(List<User> users) {
        static Users of(List<UserDescription> users) {
            return new Users(users.stream()
                    .map(each -> new User(each.userId(), each.keyId(), each.admin()))
                    .toList());
        }
    }

    record User(String user, String accessKey, boolean admin) {}

    record NewUser(String user, String accessKey, Optional<String> secretKey, Optional<String> file) {
        @Override
        public String toString() {
            return "NewUser[user=" + user + ", accessKey=" + accessKey + ", secretKey=***, file=" + file + "]";
        }
    }

    record ProfilesShown(List<ProfileShown> profiles) {}

    /** A profile without its secret; without endpoints if it cannot be read. */
    record ProfileShown(
            String name,
            List<String> endpoints,
            Optional<String> accessKey,
            Optional<String> credentials,
            boolean inUse) {
        static ProfileShown of(Profile profile, Optional<String> accessKey, boolean inUse) {
            return new ProfileShown(
                    profile.name(),
                    profile.endpoints().stream().map(URI::toString).toList(),
                    accessKey,
                    profile.credentials().map(Path::toString),
                    inUse);
        }

        static ProfileShown unreadable(String name, boolean inUse) {
            return new ProfileShown(name, List.of(), Optional.empty(), Optional.empty(), inUse);
        }
    }

    record Quota(
            OptionalLong space,
            OptionalInt topics,
            OptionalInt putsPerSecond,
            OptionalInt getsPerSecond,
            OptionalLong putBytesPerSecond,
            OptionalLong getBytesPerSecond,
            Optional<String> user) {
        static Quota of(org.talos.client.admin.Quota quota, Optional<String> user) {
            return new Quota(
                    quota.spaceBytes(),
                    quota.topics(),
                    quota.putsPerSecond(),
                    quota.getsPerSecond(),
                    quota.putBytesPerSecond(),
                    quota.getBytesPerSecond(),
                    user);
        }
    }

    record Quotas(List<Quota> quotas) {}

    record Orgs(List<OrgQuota> orgs) {}

    record Groups(List<String> groups) {}

    record TopicsGroups(List<TopicGroups> topics) {}

    record TopicGroups(String topic, List<String> groups) {}

    record Group(
            Optional<String> owner,
            List<GroupGrant> grants,
            List<Member> members,
            List<GroupDescription.Partition> partitions,
            OptionalLong lag) {
        static Group of(GroupDescription group) {
            List<Member> members = group.members().entrySet().stream()
                    .map(each -> new Member(
                            each.getKey(), MemberKind.of(each.getKey()).word(), each.getValue()))
                    .toList();
            List<GroupGrant> grants = group.grants().entrySet().stream()
                    .map(each -> new GroupGrant(
                            each.getKey().id(), each.getValue().name().toLowerCase(Locale.ROOT)))
                    .toList();
            return new Group(group.owner(), grants, members, group.partitions(), group.lag());
        }
    }

    record GroupGrant(String grantee, String right) {}

    record Member(String member, String kind, List<Integer> partitions) {}

    record Reset(boolean preview, List<GroupReset.Move> partitions, Optional<String> warning) {}

    record Undo(boolean preview, List<UndoneMove> partitions) {}

    /** The move of a group in a partition; without {@code to} the group had never committed. */
    record UndoneMove(int partition, OptionalLong from, OptionalLong to) {}

    record ChangedTopics(boolean preview, List<ChangedTopic> topics) {}

    /** One of several topics; without {@code done} it is only shown, or has failed. */
    record ChangedTopic(String topic, Optional<String> done, Optional<String> error) {}

    record Put(String topic, long messages, List<PartitionCount> partitions) {}

    record PartitionCount(int partition, long messages) {}

    /**
     * The outcome of the input of a put that failed, by the numbers of its lines, messages or files from 1.
     *
     * @param messages number that is certainly stored
     */
    record PutParts(long messages, List<Span> stored, List<Span> unknown, List<Span> notStored) {
        /**
         * Returns the sentence for people; as in {@code cut -f}, {@code 7-} is 7 and all that follows.
         *
         * @param unit in the plural, which ends with an s
         */
        String text(String unit) {
            List<String> parts = new ArrayList<>();
            if (!stored.isEmpty()) {
                parts.add(text(stored) + (isOne(stored) ? " is stored" : " are stored"));
            }
            if (!unknown.isEmpty()) {
                parts.add(text(unknown) + (stored.isEmpty() ? " may be stored" : " may be"));
            }
            if (!notStored.isEmpty()) {
                parts.add(text(notStored) + (isOne(notStored) ? " is not" : " are not"));
            }
            List<Span> first = !stored.isEmpty() ? stored : !unknown.isEmpty() ? unknown : notStored;
            String singular = unit.substring(0, unit.length() - 1);
            return (isOne(first) ? singular : unit) + " " + String.join(", ", parts);
        }

        private static boolean isOne(List<Span> spans) {
            return spans.size() == 1
                    && spans.get(0).to().equals(OptionalLong.of(spans.get(0).from()));
        }

        private static String text(List<Span> spans) {
            return spans.stream().map(Span::text).collect(Collectors.joining(","));
        }
    }

    /** Numbers from one to another, which is included; without that, to the end of the input. */
    record Span(long from, OptionalLong to) {
        private String text() {
            if (to.isEmpty()) {
                return from + "-";
            }
            return to.getAsLong() == from ? Long.toString(from) : from + "-" + to.getAsLong();
        }
    }
}
