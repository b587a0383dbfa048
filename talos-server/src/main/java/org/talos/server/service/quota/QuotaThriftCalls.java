// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import static org.talos.server.service.call.ServiceName.QUOTA;
import static org.talos.server.service.call.ServiceName.TOPIC;

import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ThriftCalls;
import org.talos.thrift.ApplyQuotaRequest;
import org.talos.thrift.ApproveQuotaRequest;
import org.talos.thrift.AutoApplyQuotaRequest;
import org.talos.thrift.DeleteTopicQuotaRequest;
import org.talos.thrift.DeleteUserQuotaRequest;
import org.talos.thrift.QueryTopicQuotaRequest;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.SetTopicQuotaRequest;
import org.talos.thrift.SetUserQuotaRequest;

/**
 * Registers the calls of the contract about quotas. A call that other front ends have too runs the operation.
 *
 * <p>Thread-safe.
 */
public final class QuotaThriftCalls implements ThriftCalls {
    private final QuotaOperations operations;
    private final QuotaCalls calls;

    /** Takes the operations that all front ends share, and the calls that only Thrift clients make. */
    public QuotaThriftCalls(QuotaOperations operations, QuotaCalls calls) {
        this.operations = operations;
        this.calls = calls;
    }

    @Override
    public void addTo(CallTable table) {
        addOfTopics(table);
        addOfUsers(table);
        addOfPartitions(table);
    }

    private void addOfTopics(CallTable table) {
        table.silent(
                TOPIC,
                "setTopicQuota",
                SetTopicQuotaRequest::new,
                (context, request) ->
                        operations.setOfTopic(context, request.getTopicResourceName(), request.getTopicQuota()));
        table.control(
                TOPIC,
                "queryTopicQuota",
                QueryTopicQuotaRequest::new,
                request -> QuotaOperations.key(request.getTopicResourceName()),
                calls::queryTopicQuota);
        table.silent(
                TOPIC,
                "deleteTopicQuota",
                DeleteTopicQuotaRequest::new,
                (context, request) -> operations.deleteOfTopic(context, request.getTopicResourceName()));
    }

    private void addOfUsers(CallTable table) {
        table.silent(
                QUOTA,
                "setUserQuota",
                SetUserQuotaRequest::new,
                (context, request) -> operations.setOfUser(context, request.getDeveloperId(), request.getUserQuota()));
        table.silent(
                QUOTA,
                "deleteUserQuota",
                DeleteUserQuotaRequest::new,
                (context, request) -> operations.deleteOfUser(context, request.getDeveloperId()));
        table.listing(QUOTA, "listUserQuota", operations::ofUsers);
        table.listing(QUOTA, "queryUserQuota", operations::own);
    }

    private void addOfPartitions(CallTable table) {
        table.silent(
                QUOTA,
                "applyQuota",
                ApplyQuotaRequest::new,
                (context, request) -> operations.apply(context, request.getQuotaInfo()));
        table.change(
                QUOTA,
                "autoApplyQuota",
                AutoApplyQuotaRequest::new,
                request -> request.getQuotaInfo().getOrgId(),
                calls::autoApplyQuota);
        table.operation(
                QUOTA,
                "approveQuota",
                ApproveQuotaRequest::new,
                (context, request) -> operations.approve(context, request.getQuotaInfo()));
        table.operation(QUOTA, "revokeQuota", RevokeQuotaRequest::new, operations::revoke);
        table.listing(QUOTA, "listQuota", operations::ofOrgs);
        table.listing(QUOTA, "listPendingQuota", operations::pending);
    }
}
