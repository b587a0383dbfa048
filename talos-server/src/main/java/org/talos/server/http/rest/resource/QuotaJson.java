// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.talos.server.auth.quota.RateUse;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.QuotaRecords;
import org.talos.server.http.rest.records.QuotaRecords.QuotaNow;
import org.talos.server.http.rest.records.QuotaRecords.TopicQuota;
import org.talos.server.service.quota.QuotaUses;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.UserQuota;

/** Quotas as JSON, both ways: a bound that is missing is none. Immutable. */
final class QuotaJson {
    private QuotaJson() {}

    static UserQuota readUser(JsonObject json) {
        UserQuota quota = new UserQuota(readBase(json));
        json.integer("topics").ifPresent(quota::setTopicNumberQuota);
        return quota;
    }

    static BaseQuota readBase(JsonObject json) {
        OptionalLong space = json.number("space");
        BaseQuota quota = new BaseQuota(space.orElse(Long.MAX_VALUE));
        json.integer("putsPerSecond").ifPresent(quota::setPutMessageQpsQuota);
        json.integer("getsPerSecond").ifPresent(quota::setGetMessageQpsQuota);
        json.number("putBytesPerSecond").ifPresent(quota::setPutMessageBytesQpsQuota);
        json.number("getBytesPerSecond").ifPresent(quota::setGetMessageBytesQpsQuota);
        return quota;
    }

    /** Returns a user's quota and its use. */
    static QuotaNow shown(UserQuota quota, QuotaUses.OfUser used) {
        OptionalInt topics = whereSet(quota.isSetTopicNumberQuota(), quota.getTopicNumberQuota());
        return shown(quota.getBaseQuota(), topics, OptionalLong.of(used.topics()), used.rates());
    }

    /** Returns a topic's quota and its use. */
    static QuotaNow shown(BaseQuota quota, RateUse used) {
        return shown(quota, OptionalInt.empty(), OptionalLong.empty(), used);
    }

    /** The use of a rate is shown if the rate has a bound. */
    private static QuotaNow shown(BaseQuota quota, OptionalInt topics, OptionalLong usedTopics, RateUse used) {
        TopicQuota bounds = bounds(quota);
        return new QuotaNow(
                quota.getUsedSpace(),
                new QuotaRecords.UserQuota(bounds, topics),
                usedTopics,
                used(bounds.putsPerSecond().isPresent(), used.puts()),
                used(bounds.getsPerSecond().isPresent(), used.gets()),
                used(bounds.putBytesPerSecond().isPresent(), used.putBytes()),
                used(bounds.getBytesPerSecond().isPresent(), used.getBytes()));
    }

    private static OptionalDouble used(boolean isBound, double rate) {
        return isBound ? OptionalDouble.of(Math.round(rate * 10) / 10.0) : OptionalDouble.empty();
    }

    private static TopicQuota bounds(BaseQuota quota) {
        return new TopicQuota(
                whereSet(quota.getSpaceQuota() != Long.MAX_VALUE, quota.getSpaceQuota()),
                whereSet(quota.isSetPutMessageQpsQuota(), quota.getPutMessageQpsQuota()),
                whereSet(quota.isSetGetMessageQpsQuota(), quota.getGetMessageQpsQuota()),
                whereSet(quota.isSetPutMessageBytesQpsQuota(), quota.getPutMessageBytesQpsQuota()),
                whereSet(quota.isSetGetMessageBytesQpsQuota(), quota.getGetMessageBytesQpsQuota()));
    }

    private static OptionalInt whereSet(boolean isSet, int bound) {
        return isSet ? OptionalInt.of(bound) : OptionalInt.empty();
    }

    private static OptionalLong whereSet(boolean isSet, long bound) {
        return isSet ? OptionalLong.of(bound) : OptionalLong.empty();
    }
}
