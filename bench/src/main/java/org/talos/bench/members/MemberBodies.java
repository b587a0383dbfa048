// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.util.List;
import org.talos.bench.load.RequestSigner.Body;
import org.talos.client.admin.TopicDescription;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Writes the bodies of members' calls on one topic, as the SDK's consumer has them. Immutable.
 *
 * @param topic that all groups read
 */
record MemberBodies(TopicDescription topic) {
    Body register(Member member) {
        return Body.of(MemberCall.REGISTER.method(), new LockWorkerRequest(unit(member, List.of())));
    }

    /** Writes the body of a look, which is the same for all members of a group. */
    Body look(int group) {
        return Body.of(MemberCall.LOOK.method(), new QueryWorkerRequest(Population.groupName(group), resource()));
    }

    Body lock(Member member, int partition) {
        return Body.of(MemberCall.LOCK.method(), new LockPartitionRequest(unit(member, List.of(partition))));
    }

    Body renew(Member member) {
        return Body.of(MemberCall.RENEW.method(), new RenewRequest(unit(member, member.partitions())));
    }

    Body topicCheck() {
        return Body.of(MemberCall.TOPIC.method(), new GetDescribeInfoRequest(topic.name()));
    }

    static Body version() {
        return Body.of(MemberCall.VERSION.method(), null);
    }

    private ConsumeUnit unit(Member member, List<Integer> partitions) {
        return new ConsumeUnit(member.groupName(), resource(), partitions, member.name());
    }

    private TopicTalosResourceName resource() {
        return new TopicTalosResourceName(topic.resourceName());
    }
}
