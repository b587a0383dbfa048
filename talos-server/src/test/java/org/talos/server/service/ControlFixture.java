// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.config.QuotaConfig;
import org.talos.server.config.ServiceConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.cache.TopicMemory;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.partition.serving.PartitionFigures;
import org.talos.server.partition.serving.SeenBounds;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.group.ConsumerCalls;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.RowWrites;
import org.talos.server.service.group.TopicsConsumerCalls;
import org.talos.server.service.quota.QuotaCalls;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.quota.TopicBounds;
import org.talos.server.service.topic.PermissionCalls;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.service.topic.TopicRows;
import org.talos.server.service.topic.TopicViews;
import org.talos.server.storage.LogId;
import org.talos.server.testing.AmpleMemory;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Grantee;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/** The control-plane calls over a real store, with a clock and partitions that tests set. Confined: to a test. */
public final class ControlFixture implements AutoCloseable, InstantSource {
    public static final Caller ALICE = caller("alice", false, Set.of("CL1"), Set.of("CI1"));
    public static final Caller BOB = caller("bob", false, Set.of("CL2"), Set.of("CI2"));
    public static final Caller ADMIN = caller("root", true, Set.of(), Set.of());

    public static final ServiceConfig CONFIG = TestConfig.of(ServiceConfig.class)
            .with("maxGetMessages", 1_000)
            .with("maxGetBytes", 1 << 20)
            .with("memberTtl", Duration.ofSeconds(30))
            .with("maxMembersPerGroup", 3)
            .with("maxGroupsPerUser", 100)
            .with("checkBlocks", true)
            .with("partitionChangeInterval", Duration.ofMinutes(5))
            .with("shutdownGrace", Duration.ofSeconds(1))
            .create();

    public static final int TOPICS_PER_USER = 50;
    public static final int PARTITIONS_PER_USER = 400;
    public static final int TOPIC_BYTES_PER_USER = 256 << 10;

    private static final long DISK_BYTES = 1L << 40;

    private static QuotaConfig unbounded(boolean required) {
        return TestConfig.of(QuotaConfig.class)
                .with("required", required)
                .with("autoApprovePartitions", 10)
                .with("topicsPerUser", TOPICS_PER_USER)
                .with("partitionsPerUser", PARTITIONS_PER_USER)
                .with("topicBytesPerUser", TOPIC_BYTES_PER_USER)
                .with("refusalDelay", Duration.ZERO)
                .create();
    }

    public final FailingMetadataStore store;
    public final Topics rows;
    public final Groups groups;
    public final Offsets offsets;
    public final TopicDirectory directory;
    public final Partitions partitions = new Partitions();
    public final List<Runnable> background = new ArrayList<>();
    public final List<Duration> delays = new ArrayList<>(); // of all that went to the background
    public final TopicCalls topics;
    public final TopicViews views;
    public final PermissionCalls permissions;
    public final ConsumerCalls consumers;
    public final TopicsConsumerCalls severalTopics;
    final Quotas quotas;
    public final TopicBounds bounds;
    public final QuotaGate gate;
    public final SpaceWatch space;
    public final QuotaCalls quotaCalls;
    public final Map<String, Principal> users = new HashMap<>(); // whom the calls of groups know
    public volatile boolean connected = true;
    private volatile long freeBytes = DISK_BYTES;
    private final DiskSpace disk = new DiskSpace(
            List.of(Path.of("data")),
            1L << 30,
            new DiskSpace.Probe() {
                @Override
                public long freeBytes(Path directory) {
                    return freeBytes;
                }

                @Override
                public long totalBytes(Path directory) {
                    return DISK_BYTES;
                }
            },
            () -> 0);
    public final DiskRoom room = new DiskRoom(disk);
    public final RowWrites groupWrites;
    private volatile long now = 1_700_000_000_000L;

    public ControlFixture(Path data) throws Exception {
        this(data, false);
    }

    public ControlFixture(Path data, boolean quotaRequired) throws Exception {
        this(data, quotaRequired, TopicMemory.unbounded());
    }

    public ControlFixture(Path data, boolean quotaRequired, TopicMemory memory) throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data));
        rows = new Topics(store);
        groups = new Groups(store);
        offsets = new Offsets(store);
        directory = TopicDirectory.load(rows, memory);
        quotas = Quotas.load(store);
        bounds = new TopicBounds(directory, quotas, unbounded(quotaRequired));
        topics = otherTopicCalls();
        views = new TopicViews(directory, partitions, quotas);
        gate = new QuotaGate(unbounded(false), quotas, () -> now * 1_000_000, new QuotaMetrics(new Metrics(() -> 0)));
        space = new SpaceWatch(directory, quotas, partitions, gate);
        quotaCalls = new QuotaCalls(quotas, directory, bounds, space, 10);
        permissions = new PermissionCalls(directory, bounds);
        groupWrites = new RowWrites(() -> now * 1_000_000);
        consumers = new ConsumerCalls(
                directory,
                groupRows(),
                groupOffsets(),
                CONFIG,
                this,
                () -> connected,
                user -> Optional.ofNullable(users.get(user)));
        severalTopics = new TopicsConsumerCalls(consumers);
    }

    /** The rows of groups as a server has them. */
    public GroupRows groupRows() {
        ClusterClock clock = ClusterClock.own(this);
        return new GroupRows(
                directory,
                groups,
                GroupRows.Bounds.of(CONFIG),
                room,
                clock,
                new RememberedGroups(
                        () -> now * 1_000_000, clock::suspensions, clock::isCompared, CONFIG.memberTtl(), 1 << 20),
                groupWrites);
    }

    /** The committed offsets as a server has them. */
    public GroupOffsets groupOffsets() {
        return new GroupOffsets(directory, offsets, room);
    }

    /** Leaves less room on the disk than is kept in reserve. */
    public void fillDisk() {
        freeBytes = 0;
        disk.look();
    }

    /** Makes room on the disk. */
    public void clearDisk() {
        freeBytes = DISK_BYTES;
        disk.look();
    }

    /** The calls as another server has them, or this one after its next start. */
    public TopicCalls otherTopicCalls() {
        return new TopicCalls(
                new TopicRows(directory, rows, groups, offsets, quotas),
                bounds,
                partitions,
                (delay, task) -> {
                    delays.add(delay);
                    background.add(task);
                },
                CONFIG,
                this);
    }

    /** Runs what is in the background now, once. */
    public void runBackground() {
        List<Runnable> now = List.copyOf(background);
        background.clear();
        now.forEach(Runnable::run);
    }

    public static Caller caller(String user, boolean admin, Set<String> orgs, Set<String> teams) {
        Set<String> all = new HashSet<>(orgs);
        all.addAll(teams);
        all.add(user);
        return new Caller(
                new Principal(user, "AK" + user, admin, false, all, new Principal.Memberships(orgs, teams), null),
                "test",
                new AnswerMemory(AmpleMemory.ofRequest()));
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(now);
    }

    public void advance(Duration by) {
        now = instant().plus(by).toEpochMilli();
    }

    public TopicTalosResourceName create(Caller caller, String name) throws Exception {
        return create(caller, name, new TopicAttribute());
    }

    public TopicTalosResourceName create(Caller caller, String name, int partitions) throws Exception {
        return create(caller, name, new TopicAttribute().setPartitionNumber(partitions));
    }

    public TopicTalosResourceName create(Caller caller, String name, TopicAttribute attribute) throws Exception {
        return topics.createTopic(caller, new CreateTopicRequest(name, attribute))
                .getTopicInfo()
                .getTopicTalosResourceName();
    }

    /** Lets a user, or those of an org or a team, get from a topic, and so have groups on it. */
    public void letGet(Caller owner, TopicTalosResourceName topic, String identifier) throws Exception {
        permissions.setPermission(owner, topic, grantee(identifier), Permission.GET_MESSAGE_AND_DESCRIBE_TOPIC);
    }

    public static Grantee grantee(String identifier) {
        return new Grantee().setIdentifier(identifier);
    }

    public static TopicAndPartition partition(TopicTalosResourceName name, int number) {
        return new TopicAndPartition(name.getTopicTalosResourceName().split("#")[1], name, number);
    }

    public static void assertRefused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Override
    public void close() {
        store.close();
    }

    /** Remembers what it was asked for. */
    public static final class Partitions implements TopicPartitions {
        public final List<TopicRecord> opened = new ArrayList<>();
        public final List<DeletedTopic> deleted = new ArrayList<>();
        public final Map<Integer, PartitionFigures> figures = new HashMap<>();
        public final Map<LogId, SeenBounds> seen = new HashMap<>(); // of partitions that a server serves
        public int looks; // at what was seen
        public int refreshes; // each would ask other servers

        public @Nullable TalosException failure;
        public int failingDeletions;

        @Override
        public void open(TopicRecord topic) {
            if (failure != null) {
                throw failure;
            }
            opened.add(topic);
        }

        @Override
        public void delete(DeletedTopic topic) {
            if (failingDeletions > 0) {
                failingDeletions--;
                throw LogFailures.notServing();
            }
            deleted.add(topic);
        }

        @Override
        public void refresh(TopicRecord topic) {
            refreshes++; // all are here
        }

        @Override
        public Optional<SeenBounds> seen(LogId id) {
            looks++;
            return Optional.ofNullable(seen.get(id));
        }

        @Override
        public PartitionFigures figures(String topicId, int partition) {
            if (failure != null) {
                throw failure;
            }
            return figures.getOrDefault(partition, PartitionFigures.NOTHING);
        }
    }
}
