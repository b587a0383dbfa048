// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;
import org.talos.server.auth.quota.RateUse;
import org.talos.server.http.rest.json.JsonObject;
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

    static ObjectNode write(UserQuota quota, QuotaUses.OfUser used) {
        ObjectNode json = write(quota.getBaseQuota());
        if (quota.isSetTopicNumberQuota()) {
            json.put("topics", quota.getTopicNumberQuota());
        }
        return with(used.rates(), json.put("usedTopics", used.topics()));
    }

    /** Adds what is used of the rates that have a bound. */
    static ObjectNode with(RateUse used, ObjectNode json) {
        put(json, "putsPerSecond", "usedPutsPerSecond", used.puts());
        put(json, "getsPerSecond", "usedGetsPerSecond", used.gets());
        put(json, "putBytesPerSecond", "usedPutBytesPerSecond", used.putBytes());
        put(json, "getBytesPerSecond", "usedGetBytesPerSecond", used.getBytes());
        return json;
    }

    private static void put(ObjectNode json, String bound, String name, double used) {
        if (json.has(bound)) {
            json.put(name, Math.round(used * 10) / 10.0);
        }
    }

    static ObjectNode write(BaseQuota quota) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("usedSpace", quota.getUsedSpace());
        if (quota.getSpaceQuota() != Long.MAX_VALUE) {
            json.put("space", quota.getSpaceQuota());
        }
        if (quota.isSetPutMessageQpsQuota()) {
            json.put("putsPerSecond", quota.getPutMessageQpsQuota());
        }
        if (quota.isSetGetMessageQpsQuota()) {
            json.put("getsPerSecond", quota.getGetMessageQpsQuota());
        }
        if (quota.isSetPutMessageBytesQpsQuota()) {
            json.put("putBytesPerSecond", quota.getPutMessageBytesQpsQuota());
        }
        if (quota.isSetGetMessageBytesQpsQuota()) {
            json.put("getBytesPerSecond", quota.getGetMessageBytesQpsQuota());
        }
        return json;
    }
}
