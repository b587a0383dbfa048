// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.RequestCheck;
import org.talos.thrift.ApproveQuotaResponse;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.ListPendingQuotaResponse;
import org.talos.thrift.ListQuotaResponse;
import org.talos.thrift.ListUserQuotaResponse;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.QueryUserQuotaResponse;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.RevokeQuotaResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UserQuota;

/**
 * Shows and changes quotas of users, topics, and the partitions of orgs, for every front end.
 *
 * <p>Thread-safe; nothing blocks. A failed operation completes with a TalosException.
 */
public final class QuotaOperations {
    private static final String OF_USERS = "quotas of users"; // the keys of lists, of which a user reads one at a time
    private static final String OWN = "own quota";
    private static final String OF_ORGS = "quotas of orgs";
    private static final String PENDING = "applications of orgs";

    private final QuotaCalls calls;
    private final QuotaUses uses;
    private final ControlPool pool;

    /** Takes the calls to run in the control pool. */
    public QuotaOperations(QuotaCalls calls, QuotaUses uses, ControlPool pool) {
        this.calls = calls;
        this.uses = uses;
        this.pool = pool;
    }

    /** Returns the use of quotas, except for space. */
    public QuotaUses uses() {
        return uses;
    }

    /** Returns the caller's own quota; completes with QUOTA_NOT_EXIST if there is none. */
    public CompletionStage<QueryUserQuotaResponse> own(CallContext context) {
        return context.guarded(() -> pool.run(context, OWN, calls::queryUserQuota));
    }

    /** Lists the quotas of all users; for administrators. */
    public CompletionStage<ListUserQuotaResponse> ofUsers(CallContext context) {
        return context.guarded(() -> pool.run(context, OF_USERS, calls::listUserQuota));
    }

    /** Returns a user's quota; completes with QUOTA_NOT_EXIST if there is none. For administrators. */
    public CompletionStage<UserQuota> ofUser(CallContext context, String user) {
        return context.guarded(() -> pool.run(context, user, caller -> calls.userQuota(caller, user)));
    }

    /** Sets a user's quota; for administrators. */
    public CompletionStage<@Nullable Void> setOfUser(CallContext context, String user, UserQuota quota) {
        return context.guarded(() -> {
            RequestCheck.check(quota);
            return pool.change(context, user, caller -> calls.setUserQuota(caller, user, quota));
        });
    }

    /** Removes a user's quota; for administrators. */
    public CompletionStage<@Nullable Void> deleteOfUser(CallContext context, String user) {
        return context.guarded(() -> pool.change(context, user, caller -> calls.deleteUserQuota(caller, user)));
    }

    /** Sets a topic's quota. */
    public CompletionStage<@Nullable Void> setOfTopic(
            CallContext context, TopicTalosResourceName topic, BaseQuota quota) {
        return context.guarded(() -> {
            RequestCheck.check(quota);
            return pool.change(context, key(topic), caller -> calls.setTopicQuota(caller, topic, quota));
        });
    }

    /** Removes a topic's quota. */
    public CompletionStage<@Nullable Void> deleteOfTopic(CallContext context, TopicTalosResourceName topic) {
        return context.guarded(() -> pool.change(context, key(topic), caller -> calls.deleteTopicQuota(caller, topic)));
    }

    /** Lists the approved quotas of partitions that the caller may see. */
    public CompletionStage<ListQuotaResponse> ofOrgs(CallContext context) {
        return context.guarded(() -> pool.run(context, OF_ORGS, calls::listQuota));
    }

    /** Lists the applications for partitions that the caller may see. */
    public CompletionStage<ListPendingQuotaResponse> pending(CallContext context) {
        return context.guarded(() -> pool.run(context, PENDING, calls::listPendingQuota));
    }

    /** Records an application for partitions, in place of an earlier one that waits. */
    public CompletionStage<@Nullable Void> apply(CallContext context, PartitionQuotaInfo asked) {
        return context.guarded(() -> {
            RequestCheck.check(asked);
            return pool.change(context, asked.getOrgId(), caller -> calls.applyQuota(caller, asked));
        });
    }

    /** Approves an application for partitions; for administrators. */
    public CompletionStage<ApproveQuotaResponse> approve(CallContext context, PartitionQuotaInfo decided) {
        return context.guarded(() -> {
            RequestCheck.check(decided);
            return pool.run(context, decided.getOrgId(), caller -> calls.approveQuota(caller, decided));
        });
    }

    /** Refuses the waiting application of an org, or else revokes its approved quota; for administrators. */
    public CompletionStage<RevokeQuotaResponse> revoke(CallContext context, String org) {
        return revoke(context, ofOrg(org));
    }

    /** Refuses the waiting application of an org; for administrators. */
    public CompletionStage<RevokeQuotaResponse> refuse(CallContext context, String org) {
        return revoke(context, ofOrg(org).setApplication(true));
    }

    /** Revokes the approved quota of an org; for administrators. */
    public CompletionStage<RevokeQuotaResponse> revokeApproval(CallContext context, String org) {
        return revoke(context, ofOrg(org).setApplication(false));
    }

    private static RevokeQuotaRequest ofOrg(String org) {
        return new RevokeQuotaRequest(new PartitionQuotaInfo(org, 0));
    }

    /** Runs a request of the contract, which may name the application or the quota. */
    CompletionStage<RevokeQuotaResponse> revoke(CallContext context, RevokeQuotaRequest request) {
        return context.guarded(() -> {
            RequestCheck.check(request);
            return pool.run(context, request.getQuotaInfo().getOrgId(), caller -> calls.revokeQuota(caller, request));
        });
    }

    static String key(TopicTalosResourceName name) {
        return name.getTopicTalosResourceName();
    }
}
