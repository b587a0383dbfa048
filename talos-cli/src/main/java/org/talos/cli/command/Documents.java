// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.OptionalLong;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.OrgQuota;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.Quota;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.TopicRight;
import org.talos.client.admin.UserDescription;

/**
 * What {@code -o json} prints, with REST's names where REST has the thing. Programs read it: a member may be added, but
 * none is renamed, and what is missing is not known or without bound.
 *
 * <p>Immutable.
 */
final class Documents {
    private Documents() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Something was done to what is named. */
    static ObjectNode done(String what, String kind, String name) {
        return object().put("done", what).put(kind, name);
    }

    static ObjectNode topic(TopicDescription topic) {
        return object().put("name", topic.name())
                .put("owner", topic.owner())
                .put("resourceName", topic.resourceName())
                .put("partitions", topic.partitions())
                .put("retentionSeconds", topic.retentionSeconds());
    }

    static ObjectNode topics(List<TopicDescription> topics) {
        ObjectNode json = object();
        ArrayNode all = json.putArray("topics");
        topics.forEach(each -> all.add(topic(each)));
        return json;
    }

    static ObjectNode topic(TopicDescription topic, List<PartitionOffsets> offsets) {
        ObjectNode json = topic(topic);
        ArrayNode states = json.putArray("partitionStates");
        for (PartitionOffsets each : offsets) {
            states.addObject()
                    .put("partition", each.partition())
                    .put("start", each.start())
                    .put("end", each.end() + 1)
                    .put("messages", each.messages());
        }
        return json;
    }

    static ObjectNode rights(List<TopicRight> rights) {
        ObjectNode json = object();
        ArrayNode all = json.putArray("rights");
        for (TopicRight each : rights) {
            all.addObject()
                    .put("grantee", each.grantee())
                    .put("put", each.mayPut())
                    .put("get", each.mayGet());
        }
        return json;
    }

    static ObjectNode users(List<UserDescription> users) {
        ObjectNode json = object();
        ArrayNode all = json.putArray("users");
        for (UserDescription each : users) {
            all.addObject()
                    .put("user", each.userId())
                    .put("accessKey", each.keyId())
                    .put("admin", each.admin());
        }
        return json;
    }

    static ObjectNode quota(Quota quota) {
        ObjectNode json = object();
        put(json, "space", quota.spaceBytes());
        quota.topics().ifPresent(value -> json.put("topics", value));
        quota.putsPerSecond().ifPresent(value -> json.put("putsPerSecond", value));
        quota.getsPerSecond().ifPresent(value -> json.put("getsPerSecond", value));
        put(json, "putBytesPerSecond", quota.putBytesPerSecond());
        put(json, "getBytesPerSecond", quota.getBytesPerSecond());
        return json;
    }

    static ObjectNode orgs(List<OrgQuota> quotas) {
        ObjectNode json = object();
        ArrayNode all = json.putArray("orgs");
        for (OrgQuota each : quotas) {
            all.addObject()
                    .put("org", each.org())
                    .put("partitions", each.partitions())
                    .put("used", each.used())
                    .put("waiting", each.waiting())
                    .put("reason", each.reason());
        }
        return json;
    }

    static ObjectNode group(GroupDescription group) {
        ObjectNode json = object();
        ArrayNode members = json.putArray("members");
        group.members().forEach((member, held) -> {
            ArrayNode partitions = members.addObject().put("member", member).putArray("partitions");
            held.forEach(partitions::add);
        });
        ArrayNode partitions = json.putArray("partitions");
        for (GroupDescription.Partition each : group.partitions()) {
            ObjectNode one = partitions.addObject().put("partition", each.partition());
            each.member().ifPresent(member -> one.put("member", member));
            put(one, "committed", each.committed());
            put(one, "start", each.start());
            put(one, "end", each.end());
            put(one, "lag", each.lag());
        }
        put(json, "lag", group.lag());
        return json;
    }

    static ObjectNode moves(boolean preview, List<GroupReset.Move> moves) {
        ObjectNode json = object().put("preview", preview);
        ArrayNode partitions = json.putArray("partitions");
        for (GroupReset.Move move : moves) {
            ObjectNode one = partitions.addObject().put("partition", move.partition());
            put(one, "from", move.from());
            one.put("to", move.to());
        }
        return json;
    }

    private static void put(ObjectNode json, String name, OptionalLong value) {
        value.ifPresent(number -> json.put(name, number));
    }
}
