// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.quota.OrgQuotaRecord;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.FreeText;
import org.talos.server.service.call.TopicLookup;
import org.talos.thrift.ApproveQuotaResponse;
import org.talos.thrift.AutoApplyQuotaRequest;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListPendingQuotaResponse;
import org.talos.thrift.ListQuotaResponse;
import org.talos.thrift.ListUserQuotaResponse;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.QueryTopicQuotaRequest;
import org.talos.thrift.QueryTopicQuotaResponse;
import org.talos.thrift.QueryUserQuotaResponse;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.RevokeQuotaResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UserQuota;

/**
 * The calls about quotas: of users and topics, and of the partitions of orgs, which are applied for.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class QuotaCalls {
    private static final int MAX_PARTITIONS = 1_000_000;
    private static final int MAX_ID_CHARACTERS = 1_000;

    private final Quotas quotas;
    private final TopicLookup topics;
    private final TopicBounds bounds;
    private final SpaceWatch space;
    private final int autoApprovePartitions;

    public QuotaCalls(
            Quotas quotas, TopicDirectory directory, TopicBounds bounds, SpaceWatch space, int autoApprovePartitions) {
        this.quotas = quotas;
        this.topics = new TopicLookup(directory);
        this.bounds = bounds;
        this.space = space;
        this.autoApprovePartitions = autoApprovePartitions;
    }

    /** Sets a user's quota; for administrators. */
    public void setUserQuota(Caller caller, String user, UserQuota quota) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        requireId(user);
        quotas.setUser(user, QuotaMapping.fromUser(quota));
    }

    /** Lists the quotas of all users; for administrators. */
    public ListUserQuotaResponse listUserQuota(Caller caller) {
        Permissions.requireAdmin(caller.principal());
        Map<String, QuotaRecord> set = quotas.users();
        caller.memory().reserve(set.keySet(), user -> AnswerMemory.row(user.length()), AnswerMemory.LESS);
        Map<String, UserQuota> all = new HashMap<>();
        set.forEach((user, quota) -> all.put(user, QuotaMapping.ofUser(quota, space.usedByOwner(user))));
        return new ListUserQuotaResponse(all);
    }

    /** Returns the caller's own quota. */
    public QueryUserQuotaResponse queryUserQuota(Caller caller) {
        caller.principal().requireRightToAct();
        return new QueryUserQuotaResponse(quota(caller.principal().userId(), "you have no quota"));
    }

    /** Returns a user's quota; for administrators. */
    public UserQuota userQuota(Caller caller, String user) {
        Permissions.requireAdmin(caller.principal());
        return quota(user, "the user has no quota");
    }

    private UserQuota quota(String user, String missing) {
        QuotaRecord quota = quotas.ofUser(user).orElseThrow(() -> none(missing));
        return QuotaMapping.ofUser(quota, space.usedByOwner(user));
    }

    /** Removes a user's quota; for administrators. */
    public void deleteUserQuota(Caller caller, String user) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        if (!quotas.removeUser(user)) {
            throw none("the user has no quota");
        }
    }

    /** Sets a topic's quota. */
    public void setTopicQuota(Caller caller, TopicTalosResourceName name, BaseQuota quota) throws MetadataException {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.requireOwner(topic, caller.principal());
        quotas.setTopic(topic.topicId(), QuotaMapping.from(quota, QuotaRecord.UNBOUNDED));
    }

    /** Returns the quota of a topic. */
    public QueryTopicQuotaResponse queryTopicQuota(Caller caller, QueryTopicQuotaRequest request) {
        TopicRecord topic = topics.byResourceName(request.getTopicResourceName());
        Permissions.requireOwner(topic, caller.principal());
        QuotaRecord quota = quotas.ofTopic(topic.topicId()).orElseThrow(() -> none("the topic has no quota"));
        return new QueryTopicQuotaResponse(QuotaMapping.of(quota, space.used(topic)));
    }

    /** Removes a topic's quota. */
    public void deleteTopicQuota(Caller caller, TopicTalosResourceName name) throws MetadataException {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.requireOwner(topic, caller.principal());
        if (!quotas.removeTopic(topic.topicId())) {
            throw none("the topic has no quota");
        }
    }

    /** Records an application for partitions, in place of an earlier one that waits. */
    public void applyQuota(Caller caller, PartitionQuotaInfo application) throws MetadataException {
        PartitionQuotaInfo asked = asked(caller, application);
        String reason = text("applyReason", asked.getApplyReason());
        quotas.updateOrg(asked.getOrgId(), before -> before.asking(asked.getTotalQuota(), reason, name(asked)));
    }

    /** Approves an application at once if it is within the bound for that, else refuses it; takes nothing away. */
    public void autoApplyQuota(Caller caller, AutoApplyQuotaRequest request) throws MetadataException {
        PartitionQuotaInfo asked = asked(caller, request.getQuotaInfo());
        if (asked.getTotalQuota() > autoApprovePartitions) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_AUTO_APPROVE_FAILED,
                    "only up to " + autoApprovePartitions + " partitions are approved without an administrator");
        }
        quotas.updateOrg(asked.getOrgId(), before -> before.raisedTo(asked.getTotalQuota(), name(asked)));
    }

    private static PartitionQuotaInfo asked(Caller caller, PartitionQuotaInfo asked) {
        Principal principal = caller.principal();
        principal.requireRightToAct();
        requireOrg(asked.getOrgId());
        if (!isOf(principal, asked.getOrgId())) {
            throw TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, "this is for members of the org");
        }
        requireNumber(asked.getTotalQuota());
        return asked;
    }

    private static boolean isOf(Principal principal, String org) {
        return principal.admin() || principal.orgIds().contains(org);
    }

    /** Reserves memory for an answer with all orgs that the caller may see; before a change that it follows. */
    private void reserveOrgs(Caller caller) {
        quotas.orgs().forEach((org, quota) -> {
            if (isOf(caller.principal(), org)) {
                int characters =
                        org.length() + quota.reason().length() + quota.name().length();
                caller.memory().reserve(AnswerMemory.row(characters));
            }
        });
    }

    /** Lists the approved quotas of partitions that the caller may see. */
    public ListQuotaResponse listQuota(Caller caller) {
        reserveOrgs(caller);
        List<PartitionQuotaInfo> approved =
                list(caller.principal(), org -> org.approved() != OrgQuotaRecord.NONE, OrgQuotaRecord::approved);
        int total =
                approved.stream().mapToInt(PartitionQuotaInfo::getTotalQuota).sum();
        return new ListQuotaResponse(approved, total);
    }

    /** Lists the applications for partitions that the caller may see. */
    public ListPendingQuotaResponse listPendingQuota(Caller caller) {
        reserveOrgs(caller);
        return new ListPendingQuotaResponse(
                pending(caller.principal()), caller.principal().admin());
    }

    /** Approves an application for partitions. */
    public ApproveQuotaResponse approveQuota(Caller caller, PartitionQuotaInfo decided) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        requireOrg(decided.getOrgId());
        requireNumber(decided.getTotalQuota());
        reserveOrgs(caller);
        quotas.updateOrg(decided.getOrgId(), before -> {
            if (before.asked() == OrgQuotaRecord.NONE) {
                throw none("the org has no application that waits");
            }
            return before.approving(decided.getTotalQuota());
        });
        return new ApproveQuotaResponse(pending(caller.principal()), true);
    }

    /**
     * Refuses the waiting application, or revokes the approved quota: the org gets no further partition. The request
     * names one of the two. The SDKs' requests do not; they mean the application if one waits.
     */
    public RevokeQuotaResponse revokeQuota(Caller caller, RevokeQuotaRequest request) throws MetadataException {
        Permissions.requireAdmin(caller.principal());
        requireOrg(request.getQuotaInfo().getOrgId());
        reserveOrgs(caller);
        quotas.updateOrg(
                request.getQuotaInfo().getOrgId(),
                before -> isOfApplication(request, before) ? refusing(before) : revoking(before));
        return new RevokeQuotaResponse(pending(caller.principal()), true);
    }

    private static boolean isOfApplication(RevokeQuotaRequest request, OrgQuotaRecord before) {
        return request.isSetApplication() ? request.isApplication() : before.asked() != OrgQuotaRecord.NONE;
    }

    private static OrgQuotaRecord refusing(OrgQuotaRecord before) {
        if (before.asked() == OrgQuotaRecord.NONE) {
            throw none("the org has no application that waits");
        }
        return before.refusing();
    }

    private static OrgQuotaRecord revoking(OrgQuotaRecord before) {
        if (before.approved() <= 0) {
            throw none("the org has no quota");
        }
        return before.revoking();
    }

    private List<PartitionQuotaInfo> pending(Principal principal) {
        return list(principal, org -> org.asked() != OrgQuotaRecord.NONE, OrgQuotaRecord::asked);
    }

    /** Which number is shown. */
    private interface Shown {
        int of(OrgQuotaRecord quota);
    }

    private List<PartitionQuotaInfo> list(Principal principal, Predicate<OrgQuotaRecord> wanted, Shown number) {
        principal.requireRightToAct();
        List<PartitionQuotaInfo> all = new ArrayList<>();
        quotas.orgs().forEach((org, quota) -> {
            if (isOf(principal, org) && wanted.test(quota)) {
                PartitionQuotaInfo info = new PartitionQuotaInfo(org, number.of(quota));
                info.setUsedOuota(bounds.usedPartitions(org));
                info.setApplyReason(quota.reason());
                info.setOrgName(quota.name());
                all.add(info);
            }
        });
        return all;
    }

    private static String name(PartitionQuotaInfo asked) {
        return text("orgName", asked.getOrgName());
    }

    private static String text(String field, @Nullable String text) {
        return Objects.requireNonNullElse(FreeText.bounded(field, text), "");
    }

    private static void requireNumber(int partitions) {
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw Failures.invalid("totalQuota: " + partitions + " (expected: 1.." + MAX_PARTITIONS + ")");
        }
    }

    private static void requireOrg(String org) {
        if (!Names.isValid(org) || !org.startsWith(TopicBounds.ORG_PREFIX)) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR, "orgId: a name that begins with " + TopicBounds.ORG_PREFIX);
        }
    }

    private static void requireId(String user) {
        if (user.isBlank() || user.length() > MAX_ID_CHARACTERS) {
            throw TalosException.refused(ErrorCode.INVALID_NAME_ERROR, "not a user's id");
        }
    }

    private static TalosException none(String what) {
        return TalosException.refused(ErrorCode.QUOTA_NOT_EXIST, what);
    }
}
