// The Talos wire contract, package topic. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

include "common.thrift"
include "authorization.thrift"
include "quota.thrift"

enum TopicStatus {
  CREATING = 0,
  ACTIVE = 1,
  DELETING = 2,
  DELETED = 3
}

enum TopicGroupType {
  TOPIC_PATTERN = 0,
  TOPIC_SET = 1
}

enum Permission {
  NONE = 0,
  PUT_MESSAGE = 1,
  GET_MESSAGE = 2,
  FULL_MESSAGE_CONTROL = 3,
  DESCRIBE_TOPIC = 4,
  PUT_MESSAGE_AND_DESCRIBE_TOPIC = 5,
  GET_MESSAGE_AND_DESCRIBE_TOPIC = 6,
  TOPIC_READ_AND_MESSAGE_FULL_CONTROL = 7,
  CHANGE_TOPIC = 8,
  FULL_TOPIC_CONTROL = 12,
  FULL_CONTROL = 15,
  CHANGE_PERMISSION = 16,
  ADMIN = 31
}

struct TopicTalosResourceName {
  1: required string topicTalosResourceName
}

struct TopicAndPartition {
  1: required string topicName,
  2: required TopicTalosResourceName topicTalosResourceName,
  3: required i32 partitionId
}

struct TopicOwnerInfo {
  1: optional string chargeId,
  2: optional string ownerName
}

struct TopicInfo {
  1: required string topicName,
  2: required TopicTalosResourceName topicTalosResourceName,
  3: required string ownerId,
  4: optional TopicOwnerInfo ownerInfo
}

struct TopicAttribute {
  1: optional i32 partitionNumber,
  2: optional i32 messageRetentionSecs,
  3: optional map<string, string> attributes,
  4: optional i32 oldPartitionNumber
}

struct PartitionState {
  1: required i32 partitionId,
  2: required i64 startOffset,
  3: required i64 lastestOffset,
  4: required i64 messageNumber,
  5: required i64 messageBytes,
  6: optional i64 totalMessageNumber,
  7: optional i64 totalMessageBytes
}

struct TopicState {
  1: required i64 createTimestamp,
  2: required TopicStatus topicStatus,
  3: required i64 messageNumber,
  4: required i64 messageBytes,
  5: required list<PartitionState> partitionStates,
  6: optional i64 totalMessageNumber,
  7: optional i64 totalMessageBytes
}

struct Topic {
  1: required TopicInfo topicInfo,
  2: required TopicAttribute topicAttribute,
  3: required TopicState topicState,
  4: optional quota.BaseQuota topicQuota,
  5: optional map<string, i32> topicAcl
}

struct TopicGroup {
  1: required string topicGroupName,
  2: required string ownerId,
  3: required TopicGroupType type,
  4: optional string topicPattern,
  5: optional list<string> topicSet,
  6: optional list<string> exclusiveTopics
}

struct CreateTopicRequest {
  1: required string topicName,
  2: required TopicAttribute topicAttribute,
  3: optional quota.BaseQuota topicQuota,
  4: optional map<authorization.Grantee, Permission> aclMap,
  5: optional string ownerName
}

struct CreateTopicResponse {
  1: required TopicInfo topicInfo
}

struct DeleteTopicRequest {
  1: required TopicTalosResourceName topicTalosResourceName
}

struct ChangeTopicAttributeRequest {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required TopicAttribute topicAttribute
}

struct DeleteTopicAttributeRequest {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required string topicAttributeKey
}

struct ChangeTopicOwnerInfoRequest {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required TopicOwnerInfo ownerInfo
}

struct DescribeTopicRequest {
  1: required string topicName
}

struct GetDescribeInfoRequest {
  1: required string topicName
}

struct GetTopicAttributeRequest {
  1: required string topicName
}

struct AddSubResourceNameRequest {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required string orgId,
  3: required string adminTeamId
}

struct CreateTopicGroupRequest {
  1: required TopicGroup topicGroup
}

struct CreateTopicGroupResponse {
  1: required TopicGroup topicGroup
}

struct DescribeTopicGroupRequest {
  1: required string topicGroupName
}

struct DescribeTopicGroupResponse {
  1: required TopicGroup topicGroup
}

struct DeleteTopicGroupRequest {
  1: required string topicGroupName
}

struct UpdateTopicGroupRequest {
  1: required TopicGroup topicGroup
}

struct ListTopicGroupResponse {
  1: required list<TopicGroup> topicGroupList
}

struct LookupTopicsRequest {
  1: required string topicGroup
}

struct LookupTopicsResponse {
  1: required map<string, i32> topics
}

struct MatchTopicsRequest {
  1: required string topicPattern,
  2: required string teamId
}

struct MatchTopicsResponse {
  1: required list<string> topics
}

struct DescribeTopicResponse {
  1: required TopicInfo topicInfo,
  2: required TopicAttribute topicAttribute,
  3: required TopicState topicState,
  4: required quota.BaseQuota topicQuota,
  5: required map<string, i32> aclMap
}

struct GetDescribeInfoResponse {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required i32 partitionNumber
}

struct GetTopicAttributeResponse {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required TopicAttribute topicAttribute
}

struct ListTopicsResponse {
  1: required list<TopicInfo> topicInfos
}

struct ListTopicsInfoResponse {
  1: required list<Topic> topicList
}

struct SetTopicQuotaRequest {
  1: required TopicTalosResourceName topicResourceName,
  2: required quota.BaseQuota topicQuota
}

struct QueryTopicQuotaRequest {
  1: required TopicTalosResourceName topicResourceName
}

struct QueryTopicQuotaResponse {
  1: required quota.BaseQuota topicQuota
}

struct DeleteTopicQuotaRequest {
  1: required TopicTalosResourceName topicResourceName
}

struct SetPermissionRequest {
  1: required TopicTalosResourceName topicResourceName,
  2: required authorization.Grantee grant,
  3: required Permission permission
}

struct RevokePermissionRequest {
  1: required TopicTalosResourceName topicResourceName,
  2: required authorization.Grantee grant
}

struct ListPermissionRequest {
  1: required TopicTalosResourceName topicResourceName
}

struct ListPermissionResponse {
  1: required map<string, i32> permissions
}

struct GetPermissionRequest {
  1: required TopicTalosResourceName topicResourceName,
  2: required authorization.Grantee grant
}

struct GetPermissionResponse {
  1: required i32 permission
}

struct SourceTopicInfo {
  1: required string sourceCluster,
  2: required string topicName,
  3: optional DescribeTopicResponse sourceTopic
}

struct CreateReplicationTopicRequest {
  1: required string topicName,
  2: required list<SourceTopicInfo> sourceTopicInfoList
}

struct ChangeReplicationTopicSourceInfoRequest {
  1: required TopicTalosResourceName topicTalosResourceName,
  2: required list<SourceTopicInfo> sourceTopicInfoList
}

service TopicService extends common.TalosBaseService {
  CreateTopicResponse createTopic(1: CreateTopicRequest request) throws (1: common.GalaxyTalosException e),
  CreateTopicResponse createReplicationTopic(1: CreateReplicationTopicRequest request) throws (1: common.GalaxyTalosException e),
  CreateTopicGroupResponse createTopicGroup(1: CreateTopicGroupRequest request) throws (1: common.GalaxyTalosException e),
  DescribeTopicGroupResponse describeTopicGroup(1: DescribeTopicGroupRequest request) throws (1: common.GalaxyTalosException e),
  void deleteTopicGroup(1: DeleteTopicGroupRequest request) throws (1: common.GalaxyTalosException e),
  ListTopicGroupResponse listTopicGroup() throws (1: common.GalaxyTalosException e),
  void updateTopicGroup(1: UpdateTopicGroupRequest request) throws (1: common.GalaxyTalosException e),
  void deleteTopic(1: DeleteTopicRequest request) throws (1: common.GalaxyTalosException e),
  LookupTopicsResponse lookupTopics(1: LookupTopicsRequest request) throws (1: common.GalaxyTalosException e),
  MatchTopicsResponse matchTopics(1: MatchTopicsRequest request) throws (1: common.GalaxyTalosException e),
  void changeTopicAttribute(1: ChangeTopicAttributeRequest request) throws (1: common.GalaxyTalosException e),
  void deleteTopicAttribute(1: DeleteTopicAttributeRequest request) throws (1: common.GalaxyTalosException e),
  void changeTopicOwnerInfo(1: ChangeTopicOwnerInfoRequest request) throws (1: common.GalaxyTalosException e),
  void changeReplicationTopicSourceInfo(1: ChangeReplicationTopicSourceInfoRequest request) throws (1: common.GalaxyTalosException e),
  DescribeTopicResponse describeTopic(1: DescribeTopicRequest request) throws (1: common.GalaxyTalosException e),
  GetDescribeInfoResponse getDescribeInfo(1: GetDescribeInfoRequest request) throws (1: common.GalaxyTalosException e),
  GetTopicAttributeResponse getTopicAttribute(1: GetTopicAttributeRequest request) throws (1: common.GalaxyTalosException e),
  ListTopicsInfoResponse listTopicsInfo() throws (1: common.GalaxyTalosException e),
  ListTopicsResponse listTopics() throws (1: common.GalaxyTalosException e),
  ListTopicsResponse getBindTopics() throws (1: common.GalaxyTalosException e),
  void setTopicQuota(1: SetTopicQuotaRequest request) throws (1: common.GalaxyTalosException e),
  QueryTopicQuotaResponse queryTopicQuota(1: QueryTopicQuotaRequest request) throws (1: common.GalaxyTalosException e),
  void deleteTopicQuota(1: DeleteTopicQuotaRequest request) throws (1: common.GalaxyTalosException e),
  void setPermission(1: SetPermissionRequest request) throws (1: common.GalaxyTalosException e),
  void revokePermission(1: RevokePermissionRequest request) throws (1: common.GalaxyTalosException e),
  ListPermissionResponse listPermission(1: ListPermissionRequest request) throws (1: common.GalaxyTalosException e),
  GetPermissionResponse getPermission(1: GetPermissionRequest request) throws (1: common.GalaxyTalosException e),
  void addSubResourceName(1: AddSubResourceNameRequest request) throws (1: common.GalaxyTalosException e)
}
