// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.UserQuota;

/**
 * Converts quotas between the wire and the store. A missing quota is unlimited; unlimited space is the largest number,
 * since the wire needs one.
 *
 * <p>Immutable.
 */
public final class QuotaMapping {
    /** The quota without bounds. */
    public static final QuotaRecord NONE = new QuotaRecord(
            QuotaRecord.UNBOUNDED,
            QuotaRecord.UNBOUNDED,
            QuotaRecord.UNBOUNDED,
            QuotaRecord.UNBOUNDED,
            QuotaRecord.UNBOUNDED,
            QuotaRecord.UNBOUNDED);

    private static final int MAX_TOPICS = 1_000_000;

    private QuotaMapping() {}

    static QuotaRecord fromUser(UserQuota asked) {
        int topics = QuotaRecord.UNBOUNDED;
        if (asked.isSetTopicNumberQuota()) {
            topics = (int) inRange("topicNumberQuota", asked.getTopicNumberQuota(), MAX_TOPICS);
        }
        return from(asked.getBaseQuota(), topics);
    }

    /** Returns the record of a quota on the wire. */
    public static QuotaRecord from(BaseQuota asked, int topics) {
        long space = inRange("spaceQuota", asked.getSpaceQuota(), Long.MAX_VALUE);
        return new QuotaRecord(
                space == Long.MAX_VALUE ? QuotaRecord.UNBOUNDED : space,
                topics,
                (int) rate("putMessageQpsQuota", asked.isSetPutMessageQpsQuota(), asked.getPutMessageQpsQuota()),
                (int) rate("getMessageQpsQuota", asked.isSetGetMessageQpsQuota(), asked.getGetMessageQpsQuota()),
                rate(
                        "putMessageBytesQpsQuota",
                        asked.isSetPutMessageBytesQpsQuota(),
                        asked.getPutMessageBytesQpsQuota()),
                rate(
                        "getMessageBytesQpsQuota",
                        asked.isSetGetMessageBytesQpsQuota(),
                        asked.getGetMessageBytesQpsQuota()));
    }

    private static long rate(String name, boolean set, long value) {
        return set ? inRange(name, value, Long.MAX_VALUE) : QuotaRecord.UNBOUNDED;
    }

    private static long inRange(String name, long value, long most) {
        if (value < 1 || value > most) {
            throw Failures.invalid(name + ": " + value + " (expected: 1.." + most + ")");
        }
        return value;
    }

    static UserQuota ofUser(QuotaRecord quota, long usedBytes) {
        UserQuota shown = new UserQuota(of(quota, usedBytes));
        if (quota.topics() != QuotaRecord.UNBOUNDED) {
            shown.setTopicNumberQuota(quota.topics());
        }
        return shown;
    }

    /** Returns a quota on the wire, with the space in use. */
    public static BaseQuota of(QuotaRecord quota, long usedBytes) {
        long space = quota.spaceBytes() == QuotaRecord.UNBOUNDED ? Long.MAX_VALUE : quota.spaceBytes();
        BaseQuota shown = new BaseQuota(space);
        shown.setUsedSpace(usedBytes);
        shown.setRemainingSpace(Math.max(0, space - usedBytes));
        if (quota.putCalls() != QuotaRecord.UNBOUNDED) {
            shown.setPutMessageQpsQuota(quota.putCalls());
        }
        if (quota.getCalls() != QuotaRecord.UNBOUNDED) {
            shown.setGetMessageQpsQuota(quota.getCalls());
        }
        if (quota.putBytes() != QuotaRecord.UNBOUNDED) {
            shown.setPutMessageBytesQpsQuota(quota.putBytes());
        }
        if (quota.getBytes() != QuotaRecord.UNBOUNDED) {
            shown.setGetMessageBytesQpsQuota(quota.getBytes());
        }
        return shown;
    }
}
