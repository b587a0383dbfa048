// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.talos.server.service.call.ServiceName.METRIC;
import static org.talos.server.service.call.ServiceName.TOPIC;

import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.ThriftCalls;
import org.talos.thrift.AddSubResourceNameRequest;
import org.talos.thrift.ChangeTopicAttributeRequest;
import org.talos.thrift.ChangeTopicOwnerInfoRequest;
import org.talos.thrift.CreateTopicGroupRequest;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.DeleteTopicGroupRequest;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.DescribeTopicGroupRequest;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetPermissionRequest;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.ListPermissionRequest;
import org.talos.thrift.LookupTopicsRequest;
import org.talos.thrift.MatchTopicsRequest;
import org.talos.thrift.RevokePermissionRequest;
import org.talos.thrift.SetPermissionRequest;
import org.talos.thrift.UpdateTopicGroupRequest;

/**
 * Registers the calls of the contract about topics, their permissions, and sets of topics. A call that other front ends
 * have too runs the operation. Every other call runs under the key of the topic or set that it changes.
 *
 * <p>Thread-safe.
 */
public final class TopicThriftCalls implements ThriftCalls {
    private final TopicOperations operations;
    private final Parts parts;

    /** Groups the calls that only Thrift clients make. Immutable. */
    public record Parts(
            TopicCalls topics, TopicViews views, PermissionCalls permissions, TopicGroupCalls groups, DiskRoom room) {}

    /** Takes the operations that all front ends share, and the calls that only Thrift clients make. */
    public TopicThriftCalls(TopicOperations operations, Parts parts) {
        this.operations = operations;
        this.parts = parts;
    }

    @Override
    public void addTo(CallTable table) {
        addReads(table);
        addChanges(table);
        addPermissions(table);
        addTopicGroups(table);
        table.notBuilt(TOPIC, "createReplicationTopic", "changeReplicationTopicSourceInfo");
    }

    private void addReads(CallTable table) {
        TopicViews views = parts.views();
        table.operation(
                TOPIC,
                "describeTopic",
                DescribeTopicRequest::new,
                (context, request) -> operations.describe(context, request.getTopicName()));
        table.operation(
                TOPIC,
                "getDescribeInfo",
                GetDescribeInfoRequest::new,
                (context, request) -> operations.info(context, request.getTopicName()));
        table.control(
                TOPIC,
                "getTopicAttribute",
                GetTopicAttributeRequest::new,
                GetTopicAttributeRequest::getTopicName,
                views::getTopicAttribute);
        table.listing(TOPIC, "listTopics", operations::list);
        table.listing(TOPIC, "getBindTopics", operations::bound);
        table.simpleControl(TOPIC, "listTopicsInfo", views::listTopicsInfo);
        table.control(TOPIC, "matchTopics", MatchTopicsRequest::new, request -> "match", views::matchTopics);
        table.simpleControl(METRIC, "listTopics", views::listTopicsInfo);
    }

    private void addChanges(CallTable table) {
        TopicCalls topics = parts.topics();
        table.operation(TOPIC, "createTopic", CreateTopicRequest::new, operations::create);
        table.silent(
                TOPIC,
                "deleteTopic",
                DeleteTopicRequest::new,
                (context, request) -> operations.delete(context, request.getTopicTalosResourceName()));
        table.silent(
                TOPIC,
                "changeTopicAttribute",
                ChangeTopicAttributeRequest::new,
                (context, request) ->
                        operations.change(context, request.getTopicTalosResourceName(), request.getTopicAttribute()));
        table.change(
                TOPIC,
                "deleteTopicAttribute",
                DeleteTopicAttributeRequest::new,
                request -> TopicKeys.of(request.getTopicTalosResourceName()),
                topics::deleteTopicAttribute);
        table.change(
                TOPIC,
                "changeTopicOwnerInfo",
                ChangeTopicOwnerInfoRequest::new,
                request -> TopicKeys.of(request.getTopicTalosResourceName()),
                topics::changeTopicOwnerInfo);
        table.change(
                TOPIC,
                "addSubResourceName",
                AddSubResourceNameRequest::new,
                request -> TopicKeys.ofOwner(request.getTopicTalosResourceName()),
                topics::addSubResourceName);
    }

    private void addPermissions(CallTable table) {
        PermissionOperations permissions = operations.permissions();
        table.silent(
                TOPIC,
                "setPermission",
                SetPermissionRequest::new,
                (context, request) -> permissions.set(
                        context, request.getTopicResourceName(), request.getGrant(), request.getPermission()));
        table.silent(
                TOPIC,
                "revokePermission",
                RevokePermissionRequest::new,
                (context, request) -> permissions.revoke(context, request.getTopicResourceName(), request.getGrant()));
        table.operation(
                TOPIC,
                "listPermission",
                ListPermissionRequest::new,
                (context, request) -> permissions.list(context, request.getTopicResourceName()));
        table.immediate(TOPIC, "getPermission", GetPermissionRequest::new, parts.permissions()::getPermission);
    }

    private void addTopicGroups(CallTable table) {
        TopicGroupCalls groups = parts.groups();
        table.control(
                TOPIC,
                "createTopicGroup",
                CreateTopicGroupRequest::new,
                r -> r.getTopicGroup().getTopicGroupName(),
                groups::createTopicGroup);
        table.guard(parts.room()::require, TOPIC, "createTopicGroup");
        table.control(
                TOPIC,
                "describeTopicGroup",
                DescribeTopicGroupRequest::new,
                DescribeTopicGroupRequest::getTopicGroupName,
                groups::describeTopicGroup);
        table.change(
                TOPIC,
                "updateTopicGroup",
                UpdateTopicGroupRequest::new,
                r -> r.getTopicGroup().getTopicGroupName(),
                groups::updateTopicGroup);
        table.change(
                TOPIC,
                "deleteTopicGroup",
                DeleteTopicGroupRequest::new,
                DeleteTopicGroupRequest::getTopicGroupName,
                groups::deleteTopicGroup);
        table.control(
                TOPIC,
                "lookupTopics",
                LookupTopicsRequest::new,
                LookupTopicsRequest::getTopicGroup,
                groups::lookupTopics);
        table.simpleControl(TOPIC, "listTopicGroup", groups::listTopicGroup);
    }
}
