// The Talos wire contract, package quota. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

include "common.thrift"

struct BaseQuota {
  1: required i64 spaceQuota,
  2: optional i64 usedSpace,
  3: optional i64 remainingSpace,
  4: optional i32 putMessageQpsQuota,
  5: optional i32 getMessageQpsQuota,
  6: optional i64 putMessageBytesQpsQuota,
  7: optional i64 getMessageBytesQpsQuota
}

struct UserQuota {
  1: required BaseQuota baseQuota,
  2: optional i32 topicNumberQuota
}

struct SetUserQuotaRequest {
  1: required string developerId,
  2: required UserQuota userQuota
}

struct QueryUserQuotaResponse {
  1: required UserQuota userQuota
}

struct ListUserQuotaResponse {
  1: required map<string, UserQuota> userQuotaList
}

struct DeleteUserQuotaRequest {
  1: required string developerId
}

struct PartitionQuotaInfo {
  1: required string orgId,
  2: required i32 totalQuota,
  3: optional i32 usedOuota,
  4: optional string applyReason,
  5: optional string orgName
}

struct ApplyQuotaRequest {
  1: required PartitionQuotaInfo quotaInfo
}

struct AutoApplyQuotaRequest {
  1: required PartitionQuotaInfo quotaInfo
}

struct ListQuotaResponse {
  1: required list<PartitionQuotaInfo> quotaList,
  2: required i32 approvedTotalQuota
}

struct ListPendingQuotaResponse {
  1: required list<PartitionQuotaInfo> pendingQuotaList,
  2: required bool talosAdmin
}

struct ApproveQuotaRequest {
  1: required PartitionQuotaInfo quotaInfo
}

struct ApproveQuotaResponse {
  1: required list<PartitionQuotaInfo> pendingQuotaList,
  2: required bool talosAdmin
}

struct RevokeQuotaRequest {
  1: required PartitionQuotaInfo quotaInfo,
  // Talos' own: true for the application that waits, false for what is approved. Without it the application if one waits.
  100: optional bool application
}

struct RevokeQuotaResponse {
  1: required list<PartitionQuotaInfo> pendingQuotaList,
  2: required bool talosAdmin
}

service QuotaService extends common.TalosBaseService {
  void setUserQuota(1: SetUserQuotaRequest request) throws (1: common.GalaxyTalosException e),
  ListUserQuotaResponse listUserQuota() throws (1: common.GalaxyTalosException e),
  QueryUserQuotaResponse queryUserQuota() throws (1: common.GalaxyTalosException e),
  void deleteUserQuota(1: DeleteUserQuotaRequest request) throws (1: common.GalaxyTalosException e),
  void applyQuota(1: ApplyQuotaRequest request) throws (1: common.GalaxyTalosException e),
  void autoApplyQuota(1: AutoApplyQuotaRequest request) throws (1: common.GalaxyTalosException e),
  ListQuotaResponse listQuota() throws (1: common.GalaxyTalosException e),
  ListPendingQuotaResponse listPendingQuota() throws (1: common.GalaxyTalosException e),
  ApproveQuotaResponse approveQuota(1: ApproveQuotaRequest request) throws (1: common.GalaxyTalosException e),
  RevokeQuotaResponse revokeQuota(1: RevokeQuotaRequest request) throws (1: common.GalaxyTalosException e)
}
