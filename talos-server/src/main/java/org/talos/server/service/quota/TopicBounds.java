// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.Optional;
import java.util.function.ToIntFunction;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.OrgQuotaRecord;
import org.talos.server.metadata.rows.QuotaRecord;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ErrorCode;

/**
 * How many topics and partitions owners may have. Check and change belong under one lock: two requests at once could
 * exceed a bound.
 *
 * <p>Thread-safe; reads memory only.
 */
public final class TopicBounds {
    /** How the ids of orgs begin. */
    public static final String ORG_PREFIX = "CL";

    private final TopicDirectory directory;
    private final Quotas quotas;
    private final boolean required;

    public TopicBounds(TopicDirectory directory, Quotas quotas, boolean required) {
        this.directory = directory;
        this.quotas = quotas;
        this.required = required;
    }

    /**
     * Refuses a topic that its owner has no room for.
     *
     * @throws TalosException QUOTA_EXCEEDED; QUOTA_NOT_EXIST for a user who needs a quota and has none
     */
    public void requireRoomFor(TopicRecord topic, Caller caller) {
        String owner = topic.owner();
        if (owner.startsWith(ORG_PREFIX)) {
            requirePartitions(
                    owner, topic.partitions(), required && !caller.principal().admin());
            return;
        }
        Optional<QuotaRecord> quota = quotas.ofUser(owner);
        if (quota.isEmpty() && required && !caller.principal().admin()) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_NOT_EXIST, "who has no quota makes no topic; an administrator sets quotas");
        }
        int most = quota.map(QuotaRecord::topics).orElse(QuotaRecord.UNBOUNDED);
        if (most != QuotaRecord.UNBOUNDED && sum(owner, each -> 1) >= most) {
            throw TalosException.refused(ErrorCode.QUOTA_EXCEEDED, owner + " has " + most + " topics or more already");
        }
    }

    /**
     * Refuses a topic's further partitions if its org has no room for them.
     *
     * @throws TalosException QUOTA_EXCEEDED
     */
    public void requireRoomFor(TopicRecord topic, int morePartitions) {
        if (topic.owner().startsWith(ORG_PREFIX)) {
            requirePartitions(topic.owner(), morePartitions, false);
        }
    }

    private void requirePartitions(String org, int more, boolean mustHave) {
        int approved = quotas.ofOrg(org).approved();
        if (approved == OrgQuotaRecord.NONE && !mustHave) {
            return;
        }
        int used = usedPartitions(org);
        if (used + more > Math.max(0, approved)) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED,
                    org + " has " + used + " partitions of " + Math.max(0, approved) + ", and " + more
                            + " more are asked for");
        }
    }

    /** Partitions of all topics that an org owns. */
    int usedPartitions(String org) {
        return sum(org, TopicRecord::partitions);
    }

    private int sum(String owner, ToIntFunction<TopicRecord> of) {
        return directory.all().stream()
                .filter(topic -> topic.owner().equals(owner))
                .mapToInt(of)
                .sum();
    }
}
