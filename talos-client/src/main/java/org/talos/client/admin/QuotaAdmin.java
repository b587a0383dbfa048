// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.transport.Service;
import org.talos.thrift.ApplyQuotaRequest;
import org.talos.thrift.ApproveQuotaRequest;
import org.talos.thrift.ApproveQuotaResponse;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.DeleteTopicQuotaRequest;
import org.talos.thrift.DeleteUserQuotaRequest;
import org.talos.thrift.ListPendingQuotaResponse;
import org.talos.thrift.ListQuotaResponse;
import org.talos.thrift.ListUserQuotaResponse;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.QueryTopicQuotaRequest;
import org.talos.thrift.QueryTopicQuotaResponse;
import org.talos.thrift.QueryUserQuotaResponse;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.RevokeQuotaResponse;
import org.talos.thrift.SetTopicQuotaRequest;
import org.talos.thrift.SetUserQuotaRequest;
import org.talos.thrift.UserQuota;

/**
 * Administers quotas of users, topics and orgs. Every call waits for its answer; for a quota that does not exist it
 * fails with a {@link TalosClientException} whose code is QUOTA_NOT_EXIST.
 *
 * <p>Thread-safe.
 */
public final class QuotaAdmin {
    private final TalosAdmin admin;

    /** Creates the administration of the quotas of a client's servers. */
    public QuotaAdmin(TalosClient client) {
        admin = new TalosAdmin(client);
    }

    /** Returns the caller's own quota. */
    public Quota own() throws TalosClientException {
        return shown(admin.read(Service.QUOTA, "queryUserQuota", null, new QueryUserQuotaResponse())
                .getUserQuota());
    }

    /** Returns the quotas of all users, by user; for administrators. */
    public SortedMap<String, Quota> ofUsers() throws TalosClientException {
        SortedMap<String, Quota> all = new TreeMap<>();
        admin.read(Service.QUOTA, "listUserQuota", null, new ListUserQuotaResponse())
                .getUserQuotaList()
                .forEach((user, quota) -> all.put(user, shown(quota)));
        return all;
    }

    /** Sets a user's quota; for administrators. */
    public void setUser(String user, Quota quota) throws TalosClientException {
        UserQuota wanted = new UserQuota(base(quota));
        quota.topics().ifPresent(wanted::setTopicNumberQuota);
        admin.call(Service.QUOTA, "setUserQuota", new SetUserQuotaRequest(user, wanted));
    }

    /** Removes a user's quota; for administrators. */
    public void deleteUser(String user) throws TalosClientException {
        admin.call(Service.QUOTA, "deleteUserQuota", new DeleteUserQuotaRequest(user));
    }

    /** Returns a topic's quota; for its owner. */
    public Quota ofTopic(String topic) throws TalosClientException {
        QueryTopicQuotaRequest asked = new QueryTopicQuotaRequest(admin.resource(topic));
        return shown(new UserQuota(admin.read(Service.TOPIC, "queryTopicQuota", asked, new QueryTopicQuotaResponse())
                .getTopicQuota()));
    }

    /** Sets a topic's quota; for its owner. */
    public void setTopic(String topic, Quota quota) throws TalosClientException {
        admin.call(Service.TOPIC, "setTopicQuota", new SetTopicQuotaRequest(admin.resource(topic), base(quota)));
    }

    /** Removes a topic's quota; for its owner. */
    public void deleteTopic(String topic) throws TalosClientException {
        admin.call(Service.TOPIC, "deleteTopicQuota", new DeleteTopicQuotaRequest(admin.resource(topic)));
    }

    /**
     * Returns the partition quotas of the caller's orgs, for administrators those of all orgs: approved ones, then
     * applications.
     */
    public List<OrgQuota> ofOrgs() throws TalosClientException {
        List<OrgQuota> all = new ArrayList<>();
        admin.read(Service.QUOTA, "listQuota", null, new ListQuotaResponse())
                .getQuotaList()
                .forEach(each -> all.add(shown(each, false)));
        admin.read(Service.QUOTA, "listPendingQuota", null, new ListPendingQuotaResponse())
                .getPendingQuotaList()
                .forEach(each -> all.add(shown(each, true)));
        return all;
    }

    /** Applies for a partition quota of an org, as its member. */
    public void apply(String org, int partitions, String reason) throws TalosClientException {
        PartitionQuotaInfo asked = new PartitionQuotaInfo(org, partitions);
        asked.setApplyReason(reason);
        admin.call(Service.QUOTA, "applyQuota", new ApplyQuotaRequest(asked));
    }

    /** Approves a partition quota of an org; for administrators. */
    public void approve(String org, int partitions) throws TalosClientException {
        ApproveQuotaRequest decided = new ApproveQuotaRequest(new PartitionQuotaInfo(org, partitions));
        admin.call(Service.QUOTA, "approveQuota", decided, new ApproveQuotaResponse());
    }

    /**
     * Refuses an org's application, or revokes its quota if none waits; for administrators. If another administrator
     * has just refused the application, this call revokes the quota. {@link #refuse} and {@link #revokeApproval} each
     * do only one of the two.
     */
    public void revoke(String org) throws TalosClientException {
        revoke(new RevokeQuotaRequest(new PartitionQuotaInfo(org, 0)));
    }

    /**
     * Refuses the waiting application of an org, which keeps its present quota; for administrators.
     *
     * @throws TalosClientException with code QUOTA_NOT_EXIST: none waits
     */
    public void refuse(String org) throws TalosClientException {
        revoke(new RevokeQuotaRequest(new PartitionQuotaInfo(org, 0)).setApplication(true));
    }

    /**
     * Revokes the approved partitions of an org. Its existing topics and a waiting application stay. For
     * administrators.
     *
     * @throws TalosClientException with code QUOTA_NOT_EXIST: the org has none
     */
    public void revokeApproval(String org) throws TalosClientException {
        revoke(new RevokeQuotaRequest(new PartitionQuotaInfo(org, 0)).setApplication(false));
    }

    private void revoke(RevokeQuotaRequest decided) throws TalosClientException {
        admin.call(Service.QUOTA, "revokeQuota", decided, new RevokeQuotaResponse());
    }

    private static OrgQuota shown(PartitionQuotaInfo info, boolean waiting) {
        String reason = info.getApplyReason() == null ? "" : info.getApplyReason();
        return new OrgQuota(info.getOrgId(), info.getTotalQuota(), info.getUsedOuota(), waiting, reason);
    }

    private static BaseQuota base(Quota quota) {
        BaseQuota base = new BaseQuota(quota.spaceBytes().orElse(Long.MAX_VALUE));
        quota.putsPerSecond().ifPresent(base::setPutMessageQpsQuota);
        quota.getsPerSecond().ifPresent(base::setGetMessageQpsQuota);
        quota.putBytesPerSecond().ifPresent(base::setPutMessageBytesQpsQuota);
        quota.getBytesPerSecond().ifPresent(base::setGetMessageBytesQpsQuota);
        return base;
    }

    private static Quota shown(UserQuota quota) {
        BaseQuota base = quota.getBaseQuota();
        return new Quota(
                of(base.getSpaceQuota() != Long.MAX_VALUE, base.getSpaceQuota()),
                of(quota.isSetTopicNumberQuota(), quota.getTopicNumberQuota()),
                of(base.isSetPutMessageQpsQuota(), base.getPutMessageQpsQuota()),
                of(base.isSetGetMessageQpsQuota(), base.getGetMessageQpsQuota()),
                of(base.isSetPutMessageBytesQpsQuota(), base.getPutMessageBytesQpsQuota()),
                of(base.isSetGetMessageBytesQpsQuota(), base.getGetMessageBytesQpsQuota()));
    }

    private static OptionalLong of(boolean set, long value) {
        return set ? OptionalLong.of(value) : OptionalLong.empty();
    }

    private static OptionalInt of(boolean set, int value) {
        return set ? OptionalInt.of(value) : OptionalInt.empty();
    }
}
