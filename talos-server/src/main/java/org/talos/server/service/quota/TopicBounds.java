// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.talos.common.error.TalosException;
import org.talos.server.config.QuotaConfig;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.cache.TopicMemory;
import org.talos.server.metadata.rows.quota.OrgQuotaRecord;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ErrorCode;

/**
 * The limits of owners' topics and partitions, of the size of topics' rows, and of the memory of all topics. Hold the
 * owner's lock ({@link #lockOf}) from the check to the growth: two requests at once could exceed a limit. A change that
 * makes a topic smaller needs no check. Requests of several owners may exceed the memory limit by as many rows as they
 * change at once, which is little beside the memory that is left for loading.
 *
 * <p>Each owner has the bounds of the configuration, unless an administrator's request makes the change. A quota that
 * allows more topics allows more partitions and bytes by the same factor. Only growth is refused. Existing topics stay,
 * and may be changed and made smaller.
 *
 * <p>Thread-safe; reads memory only.
 */
public final class TopicBounds {
    /** How the ids of orgs begin. */
    public static final String ORG_PREFIX = "CL";

    private static final int LOCKS = 256;
    private static final String REMEDY = ": delete some, or have an administrator set a quota with more topics";

    private final TopicDirectory directory;
    private final Quotas quotas;
    private final QuotaConfig config;
    private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();

    /** Bounds by the configuration and the quotas that are set. */
    public TopicBounds(TopicDirectory directory, Quotas quotas, QuotaConfig config) {
        this.directory = directory;
        this.quotas = quotas;
        this.config = config;
    }

    /** Returns the lock under which an owner's topics grow. Few owners share one. */
    public Object lockOf(String owner) {
        return locks[Math.floorMod(owner.hashCode(), LOCKS)];
    }

    /**
     * Refuses a topic that its owner, or the server, has no room for.
     *
     * @throws TalosException QUOTA_EXCEEDED; QUOTA_NOT_EXIST for a user who needs a quota and has none
     */
    public void requireRoomFor(TopicRecord topic, Caller caller) {
        String owner = topic.owner();
        boolean admin = caller.principal().admin();
        if (owner.startsWith(ORG_PREFIX)) {
            requireApproved(owner, topic.partitions(), config.required() && !admin);
        } else if (quotas.ofUser(owner).isEmpty() && config.required() && !admin) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_NOT_EXIST,
                    "a user without a quota cannot create a topic; an administrator sets quotas");
        }
        requireTopics(owner, admin);
        if (!admin) {
            requireOwn(owner, topic.partitions(), topic.memoryBytes());
        }
        requireMemory(directory.memory().bytes(topic), directory.memory().limitOfNewTopics());
    }

    private void requireTopics(String owner, boolean admin) {
        Optional<Integer> set = ofTopics(owner);
        long most = set.orElse(admin ? Integer.MAX_VALUE : config.topicsPerUser());
        if (sum(owner, each -> 1) >= most) {
            throw exceeded(owner + " has " + most + " topics or more already" + REMEDY);
        }
    }

    /**
     * Refuses a change by which a topic grows beyond its owner's or the server's limits.
     *
     * @throws TalosException QUOTA_EXCEEDED
     */
    public void requireRoomFor(TopicRecord before, TopicRecord after, Caller caller) {
        int morePartitions = after.partitions() - before.partitions();
        if (before.owner().startsWith(ORG_PREFIX) && morePartitions > 0) {
            requireApproved(before.owner(), morePartitions, false);
        }
        boolean admin = caller.principal().admin();
        if (!admin) {
            requireOwn(before.owner(), morePartitions, after.memoryBytes() - before.memoryBytes());
        }
        TopicMemory memory = directory.memory();
        requireMemory(
                memory.bytes(after) - memory.bytes(before),
                morePartitions > 0 ? memory.limitOfNewTopics() : memory.limitOfChanges(admin));
    }

    private void requireOwn(String owner, int morePartitions, long moreBytes) {
        if (morePartitions > 0 && !isApproved(owner)) {
            long most = scaled(owner, config.partitionsPerUser());
            require(owner, "partitions", sum(owner, TopicRecord::partitions), morePartitions, most);
        }
        if (moreBytes > 0) {
            long most = scaled(owner, config.topicBytesPerUser());
            require(owner, "bytes in rows of topics", sum(owner, directory::rowBytes), moreBytes, most);
        }
    }

    private void requireMemory(long moreBytes, long limit) {
        long used = directory.memory().used();
        if (moreBytes > 0 && used + moreBytes > limit) {
            throw exceeded("all topics of this server take " + used + " bytes of its memory, and may take " + limit
                    + ": delete some, or have the operator increase the heap");
        }
    }

    private static void require(String owner, String what, long used, long more, long most) {
        if (used + more > most) {
            throw exceeded(owner + " has " + used + " " + what + " of " + most + ", and " + more + " more are asked for"
                    + REMEDY);
        }
    }

    private static TalosException exceeded(String why) {
        return TalosException.refused(ErrorCode.QUOTA_EXCEEDED, why);
    }

    private Optional<Integer> ofTopics(String owner) {
        return quotas.ofUser(owner).map(QuotaRecord::topics).filter(most -> most != QuotaRecord.UNBOUNDED);
    }

    /** Returns a bound, larger by as much as the owner's quota of topics is larger than that of the configuration. */
    private long scaled(String owner, long bound) {
        double factor = (double) ofTopics(owner).orElse(0) / config.topicsPerUser();
        return (long) (bound * Math.max(1, factor));
    }

    private boolean isApproved(String owner) {
        return owner.startsWith(ORG_PREFIX) && quotas.ofOrg(owner).approved() != OrgQuotaRecord.NONE;
    }

    private void requireApproved(String org, int more, boolean mustHave) {
        int approved = quotas.ofOrg(org).approved();
        if (approved == OrgQuotaRecord.NONE && !mustHave) {
            return;
        }
        int used = usedPartitions(org);
        if (used + more > Math.max(0, approved)) {
            throw exceeded(org + " has " + used + " partitions of " + Math.max(0, approved) + ", and " + more
                    + " more are asked for");
        }
    }

    /** Partitions of all topics that an org owns. */
    int usedPartitions(String org) {
        return (int) sum(org, TopicRecord::partitions);
    }

    private long sum(String owner, ToLongFunction<TopicRecord> of) {
        return directory.all().stream()
                .filter(topic -> topic.owner().equals(owner))
                .mapToLong(of)
                .sum();
    }
}
