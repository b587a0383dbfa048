// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.talos.server.service.call.ServiceName.ADMIN;
import static org.talos.server.service.call.ServiceName.METRIC;
import static org.talos.server.service.call.ServiceName.QUOTA;
import static org.talos.server.service.call.ServiceName.TOPIC;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.Release;
import org.talos.common.error.TalosException;
import org.talos.server.config.QuotaConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Later;
import org.talos.server.runtime.Ticker;
import org.talos.server.service.admin.AdminCalls;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallDeadline;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.group.MetricCalls;
import org.talos.server.service.quota.QuotaCalls;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.quota.TopicBounds;
import org.talos.server.service.topic.PermissionCalls;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.service.topic.TopicGroupCalls;
import org.talos.server.service.topic.TopicViews;
import org.talos.thrift.AddSubResourceNameRequest;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.ApplyQuotaRequest;
import org.talos.thrift.ApproveQuotaRequest;
import org.talos.thrift.AutoApplyQuotaRequest;
import org.talos.thrift.ChangeTopicAttributeRequest;
import org.talos.thrift.ChangeTopicOwnerInfoRequest;
import org.talos.thrift.CheckGranteeRequest;
import org.talos.thrift.CreateTopicGroupRequest;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.DeleteTopicGroupRequest;
import org.talos.thrift.DeleteTopicQuotaRequest;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.DeleteUserQuotaRequest;
import org.talos.thrift.DescribeTopicGroupRequest;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetPermissionRequest;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.ListPermissionRequest;
import org.talos.thrift.LookupTopicsRequest;
import org.talos.thrift.MatchTopicsRequest;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryTopicConsumeUnitRequest;
import org.talos.thrift.QueryTopicQuotaRequest;
import org.talos.thrift.RemoveUserRequest;
import org.talos.thrift.RevokePermissionRequest;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.SetPermissionRequest;
import org.talos.thrift.SetTopicQuotaRequest;
import org.talos.thrift.SetUserQuotaRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateTopicGroupRequest;
import org.talos.thrift.Version;

/**
 * Adds all calls but those about messages to the table: a call whose work is small whatever the server has runs on its
 * caller's thread, one that may block, or looks at all topics or users, in the control pool, or in the topics' pool if
 * it may wait for other servers, under the key of what it changes.
 *
 * <p>Immutable.
 */
final class ControlCalls {
    private static final int SERVED_MAJOR_VERSION = 1;
    private static final Version VERSION = version();

    private ControlCalls() {}

    static TopicCalls add(CallTable table, ServiceFoundation base, TopicPartitions partitions, SpaceWatch space) {
        for (ServiceName service : ServiceName.values()) {
            table.simple(service, "getServiceVersion", context -> VERSION.deepCopy());
            table.immediate(service, "validClientVersion", Version::new, (context, version) -> served(version));
        }
        Repositories rows = base.repositories();
        ScheduledExecutorService upkeep = base.environment().upkeep();
        Later sweeps = (delay, task) -> {
            var unused = upkeep.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        };
        QuotaConfig config = base.config().quota();
        TopicDirectory directory = rows.directory();
        TopicBounds bounds = new TopicBounds(directory, rows.quotas(), config);
        TopicCalls topics = new TopicCalls(
                directory,
                rows.topics(),
                rows.groups(),
                rows.offsets(),
                rows.quotas(),
                bounds,
                partitions,
                sweeps,
                base.config().service(),
                base.environment().clock());
        addTopicReads(table, new TopicViews(directory, partitions, rows.quotas()));
        addTopicChanges(table, topics);
        addTopicGroupCalls(table, new TopicGroupCalls(rows.topicGroups(), directory));
        addPermissionCalls(table, topics, new PermissionCalls(directory, bounds));
        addAdminCalls(table, new AdminCalls(rows.users()));
        QuotaCalls quotas = new QuotaCalls(rows.quotas(), directory, bounds, space, config.autoApprovePartitions());
        addQuotaCalls(table, quotas);
        addPartitionQuotaCalls(table, quotas);
        addNotBuilt(table);
        refuseWithoutRoom(table, base.environment().disk());
        return topics;
    }

    /** Refuses calls that add something; not changes and commits, which make room or let reading continue. */
    private static void refuseWithoutRoom(CallTable table, DiskSpace disk) {
        Runnable check = () -> {
            DiskSpace.Shortage shortage = disk.shortage();
            if (shortage != null) {
                throw Failures.diskFull(shortage);
            }
        };
        table.guard(check, TOPIC, "createTopic", "createTopicGroup");
        table.guard(check, ADMIN, "addUser");
    }

    private static Version version() {
        Version version = new Version();
        version.setMajor(SERVED_MAJOR_VERSION);
        version.setMinor(0);
        version.setRevision(0);
        version.setDate("20261120");
        version.setDetails("Talos " + Release.version());
        return version;
    }

    private static @Nullable TBase<?, ?> served(Version client) {
        if (client.getMajor() != SERVED_MAJOR_VERSION) {
            throw TalosException.refused(
                    ErrorCode.OPERATION_FAILED,
                    "client version " + client.getMajor() + " is not served (expected: " + SERVED_MAJOR_VERSION + ")");
        }
        return null;
    }

    private static void addTopicReads(CallTable table, TopicViews topics) {
        table.topics(
                TOPIC,
                "describeTopic",
                DescribeTopicRequest::new,
                DescribeTopicRequest::getTopicName,
                by(topics::describeTopic));
        table.immediate(TOPIC, "getDescribeInfo", GetDescribeInfoRequest::new, by(topics::getDescribeInfo));
        table.control(
                TOPIC,
                "getTopicAttribute",
                GetTopicAttributeRequest::new,
                GetTopicAttributeRequest::getTopicName,
                by(topics::getTopicAttribute));
        table.simpleControl(TOPIC, "listTopics", context -> topics.listTopics(caller(context)));
        table.simpleControl(TOPIC, "listTopicsInfo", context -> topics.listTopicsInfo(caller(context)));
        table.simpleControl(TOPIC, "getBindTopics", context -> topics.getBindTopics(caller(context)));
        table.control(TOPIC, "matchTopics", MatchTopicsRequest::new, request -> "match", by(topics::matchTopics));
        table.simpleControl(METRIC, "listTopics", context -> topics.listTopicsInfo(caller(context)));
    }

    private static void addTopicGroupCalls(CallTable table, TopicGroupCalls groups) {
        table.control(
                TOPIC,
                "createTopicGroup",
                CreateTopicGroupRequest::new,
                r -> r.getTopicGroup().getTopicGroupName(),
                by(groups::createTopicGroup));
        table.control(
                TOPIC,
                "describeTopicGroup",
                DescribeTopicGroupRequest::new,
                DescribeTopicGroupRequest::getTopicGroupName,
                by(groups::describeTopicGroup));
        table.control(
                TOPIC,
                "updateTopicGroup",
                UpdateTopicGroupRequest::new,
                r -> r.getTopicGroup().getTopicGroupName(),
                nothing(groups::updateTopicGroup));
        table.control(
                TOPIC,
                "deleteTopicGroup",
                DeleteTopicGroupRequest::new,
                DeleteTopicGroupRequest::getTopicGroupName,
                nothing(groups::deleteTopicGroup));
        table.control(
                TOPIC,
                "lookupTopics",
                LookupTopicsRequest::new,
                LookupTopicsRequest::getTopicGroup,
                by(groups::lookupTopics));
        table.simpleControl(TOPIC, "listTopicGroup", context -> groups.listTopicGroup(caller(context)));
    }

    static void addMetricCalls(CallTable table, MetricCalls metrics) {
        table.control(
                METRIC,
                "queryConsumerGroup",
                QueryConsumerGroupRequest::new,
                r -> key(r.getTopicTalosResourceName()),
                by(metrics::queryConsumerGroup));
        table.async(METRIC, "getTopicConsumeUnit", GetTopicConsumeUnitRequest::new, metrics::getTopicConsumeUnit);
        table.async(METRIC, "queryTopicConsumeUnit", QueryTopicConsumeUnitRequest::new, metrics::queryTopicConsumeUnit);
        table.async(METRIC, "getDataPreview", GetDataPreviewRequest::new, metrics::getDataPreview);
    }

    private static void addTopicChanges(CallTable table, TopicCalls topics) {
        table.topics(
                TOPIC,
                "createTopic",
                CreateTopicRequest::new,
                CreateTopicRequest::getTopicName,
                by(topics::createTopic));
        table.topics(
                TOPIC,
                "deleteTopic",
                DeleteTopicRequest::new,
                request -> key(request.getTopicTalosResourceName()),
                nothing(topics::deleteTopic));
        table.topics(
                TOPIC,
                "changeTopicAttribute",
                ChangeTopicAttributeRequest::new,
                request -> key(request.getTopicTalosResourceName()),
                nothing(topics::changeTopicAttribute));
        table.control(
                TOPIC,
                "deleteTopicAttribute",
                DeleteTopicAttributeRequest::new,
                request -> key(request.getTopicTalosResourceName()),
                nothing(topics::deleteTopicAttribute));
        table.control(
                TOPIC,
                "changeTopicOwnerInfo",
                ChangeTopicOwnerInfoRequest::new,
                request -> key(request.getTopicTalosResourceName()),
                nothing(topics::changeTopicOwnerInfo));
    }

    private static void addPermissionCalls(CallTable table, TopicCalls topics, PermissionCalls permissions) {
        table.control(
                TOPIC,
                "setPermission",
                SetPermissionRequest::new,
                request -> ownerKey(request.getTopicResourceName()),
                nothing(permissions::setPermission));
        table.control(
                TOPIC,
                "revokePermission",
                RevokePermissionRequest::new,
                request -> key(request.getTopicResourceName()),
                nothing(permissions::revokePermission));
        table.control(
                TOPIC,
                "addSubResourceName",
                AddSubResourceNameRequest::new,
                request -> ownerKey(request.getTopicTalosResourceName()),
                nothing(topics::addSubResourceName));
        table.immediate(TOPIC, "listPermission", ListPermissionRequest::new, by(permissions::listPermission));
        table.immediate(TOPIC, "getPermission", GetPermissionRequest::new, by(permissions::getPermission));
    }

    private static void addAdminCalls(CallTable table, AdminCalls admin) {
        table.control(ADMIN, "addUser", AddUserRequest::new, request -> "users", by(admin::addUser));
        table.control(ADMIN, "removeUser", RemoveUserRequest::new, request -> "users", nothing(admin::removeUser));
        table.control(ADMIN, "checkGrantee", CheckGranteeRequest::new, request -> "users", by(admin::checkGrantee));
        table.simpleControl(ADMIN, "listUsers", context -> admin.listUsers(caller(context)));
    }

    private static void addQuotaCalls(CallTable table, QuotaCalls quotas) {
        table.control(
                TOPIC,
                "setTopicQuota",
                SetTopicQuotaRequest::new,
                r -> key(r.getTopicResourceName()),
                nothing(quotas::setTopicQuota));
        table.control(
                TOPIC,
                "queryTopicQuota",
                QueryTopicQuotaRequest::new,
                r -> key(r.getTopicResourceName()),
                by(quotas::queryTopicQuota));
        table.control(
                TOPIC,
                "deleteTopicQuota",
                DeleteTopicQuotaRequest::new,
                r -> key(r.getTopicResourceName()),
                nothing(quotas::deleteTopicQuota));
        table.control(
                QUOTA,
                "setUserQuota",
                SetUserQuotaRequest::new,
                SetUserQuotaRequest::getDeveloperId,
                nothing(quotas::setUserQuota));
        table.control(
                QUOTA,
                "deleteUserQuota",
                DeleteUserQuotaRequest::new,
                DeleteUserQuotaRequest::getDeveloperId,
                nothing(quotas::deleteUserQuota));
        table.simpleControl(QUOTA, "listUserQuota", context -> quotas.listUserQuota(caller(context)));
        table.simpleControl(QUOTA, "queryUserQuota", context -> quotas.queryUserQuota(caller(context)));
    }

    private static void addPartitionQuotaCalls(CallTable table, QuotaCalls quotas) {
        table.control(
                QUOTA,
                "applyQuota",
                ApplyQuotaRequest::new,
                r -> r.getQuotaInfo().getOrgId(),
                nothing(quotas::applyQuota));
        table.control(
                QUOTA,
                "autoApplyQuota",
                AutoApplyQuotaRequest::new,
                r -> r.getQuotaInfo().getOrgId(),
                nothing(quotas::autoApplyQuota));
        table.control(
                QUOTA,
                "approveQuota",
                ApproveQuotaRequest::new,
                r -> r.getQuotaInfo().getOrgId(),
                by(quotas::approveQuota));
        table.control(
                QUOTA,
                "revokeQuota",
                RevokeQuotaRequest::new,
                r -> r.getQuotaInfo().getOrgId(),
                by(quotas::revokeQuota));
        table.simpleControl(QUOTA, "listQuota", context -> quotas.listQuota(caller(context)));
        table.simpleControl(QUOTA, "listPendingQuota", context -> quotas.listPendingQuota(caller(context)));
    }

    private static void addNotBuilt(CallTable table) {
        table.notBuilt(TOPIC, "createReplicationTopic", "changeReplicationTopicSourceInfo");
    }

    private static String key(TopicTalosResourceName name) {
        return name.getTopicTalosResourceName();
    }

    /**
     * Returns the same key for all topics of an owner. An owner's topics grow one after another, so any number of these
     * calls occupies one thread.
     */
    private static String ownerKey(TopicTalosResourceName name) {
        String resourceName = key(name);
        return resourceName.substring(0, Math.max(0, resourceName.lastIndexOf('#', resourceName.lastIndexOf('#') - 1)));
    }

    private static Caller caller(CallContext context) {
        return new Caller(context.principal(), context.client().userAgent(), context.memory());
    }

    /** A call with a result. */
    @FunctionalInterface
    interface Question<Q> {
        TBase<?, ?> run(Caller caller, Q request) throws MetadataException;
    }

    static <Q> CallTable.Body<Q> by(Question<Q> question) {
        return (context, request) -> question.run(caller(context), request);
    }

    /** A question that reads one row after another, up to the call's deadline. */
    static <Q> CallTable.Body<Q> by(Ticker ticker, Question<Q> question) {
        return (context, request) ->
                question.run(caller(context).by(new CallDeadline(ticker, context.deadlineNanos())), request);
    }

    /** A call without result. */
    @FunctionalInterface
    interface Action<Q> {
        void run(Caller caller, Q request) throws MetadataException;
    }

    static <Q> CallTable.Body<Q> nothing(Action<Q> action) {
        return (context, request) -> {
            action.run(caller(context), request);
            return null;
        };
    }
}
