// The Talos wire contract, package consumer. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

include "common.thrift"
include "topic.thrift"

struct ConsumeUnit {
  1: required string consumerGroup,
  2: required topic.TopicTalosResourceName topicTalosResourceName,
  3: required list<i32> partitionIdList,
  4: required string workerId
}

struct TopicsConsumeUnit {
  1: required string consumerGroup,
  2: required map<string, list<i32>> topicPartitions,
  3: required string workerId,
  4: required string topicGroup
}

struct CheckPoint {
  1: required string consumerGroup,
  2: required topic.TopicAndPartition topicAndPartition,
  3: required i64 msgOffset,
  4: required string workerId,
  5: optional i64 lastCommitOffset,
  // Talos' own: a commit that is never meant to go back, whoever committed last.
  100: optional bool onlyForward
}

struct LockPartitionRequest {
  1: required ConsumeUnit consumeUnit
}

struct LockPartitionResponse {
  1: required list<i32> successPartitions,
  2: required list<i32> failedPartitions
}

struct CheckRegisterRequest {
  1: required ConsumeUnit consumeUnit
}

struct CheckRegisterResponse {
  1: required bool canRegister
}

struct LockWorkerRequest {
  1: required ConsumeUnit consumeUnit
}

struct LockWorkerResponse {
  1: required bool registerSuccess
}

struct TopicsLockWorkerRequest {
  1: required string consumerGroup,
  2: required list<topic.TopicTalosResourceName> topics,
  3: required string workerId,
  4: required string topicGroup
}

struct TopicsLockWorkerResponse {
  1: required bool registerSuccess
}

struct UnlockPartitionRequest {
  1: required ConsumeUnit consumeUnit,
  // Talos' own: the worker stays a member even if this was its last lock, which otherwise ends it.
  100: optional bool staysMember
}

struct RenewRequest {
  1: required ConsumeUnit consumeUnit
}

struct RenewResponse {
  1: required bool heartbeatSuccess,
  2: required list<i32> failedPartitionList
}

struct TopicsRenewRequest {
  1: required TopicsConsumeUnit consumeUnit
}

struct TopicsRenewResponse {
  1: required bool heartbeatSuccess,
  2: required list<topic.TopicAndPartition> failedPartitionList,
  // Talos' own, set without heartbeatSuccess: whether the heartbeat and the other locks were recorded all the same, and only
  // a partition that another worker holds was named. The Go SDK gives that up only if it gives up everything.
  100: optional bool recorded
}

struct UpdateOffsetRequest {
  1: required CheckPoint checkpoint
}

struct UpdateOffsetResponse {
  1: required bool success,
  // Talos' own, set without success: whether that is because the worker does not hold the partition's lock. If not, the
  // group is further already, or where lastCommitOffset did not expect it.
  100: optional bool lockLost
}

struct QueryOffsetRequest {
  1: required string consumerGroup,
  2: required topic.TopicAndPartition topicAndPartition
}

struct QueryOffsetResponse {
  1: required i64 msgOffset,
  // Talos' own, set with -1: whether that was committed, so that the group continues with offset 0; else it never committed.
  100: optional bool committed
}

struct QueryWorkerRequest {
  1: required string consumerGroup,
  2: required topic.TopicTalosResourceName topicTalosResourceName
}

struct QueryWorkerResponse {
  1: required map<string, list<i32>> workerMap
}

struct TopicsQueryWorkerRequest {
  1: required string consumerGroup,
  2: required list<topic.TopicTalosResourceName> topicTalosResourceNames,
  3: required string topicGroup
}

struct TopicsQueryWorkerResponse {
  1: required map<string, list<topic.TopicAndPartition>> workerMap
}

struct ConsumerGroupAndPartition {
  1: required string consumerGroupName,
  2: required topic.TopicTalosResourceName topicTalosResourceName,
  3: required i32 partitionId
}

struct QueryOrgOffsetRequest {
  1: required string consumerGroupPrefix,
  2: required string orgId
}

struct QueryOrgOffsetResponse {
  1: required map<ConsumerGroupAndPartition, i64> consumerGroupOffsetMap
}

struct GetWorkerIdRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required string consumerGroup
}

struct GetWorkerIdResponse {
  1: required string workerId
}

struct DeleteConsumerGroupRequest {
  1: required string consumerGroup,
  2: required topic.TopicTalosResourceName topicTalosResourceName
}

service ConsumerService extends common.TalosBaseService {
  LockPartitionResponse lockPartition(1: LockPartitionRequest request) throws (1: common.GalaxyTalosException e),
  LockWorkerResponse lockWorker(1: LockWorkerRequest request) throws (1: common.GalaxyTalosException e),
  TopicsLockWorkerResponse lockWorkerForTopics(1: TopicsLockWorkerRequest request) throws (1: common.GalaxyTalosException e),
  CheckRegisterResponse checkRegister(1: CheckRegisterRequest request) throws (1: common.GalaxyTalosException e),
  void unlockPartition(1: UnlockPartitionRequest request) throws (1: common.GalaxyTalosException e),
  RenewResponse renew(1: RenewRequest request) throws (1: common.GalaxyTalosException e),
  TopicsRenewResponse renewForTopics(1: TopicsRenewRequest request) throws (1: common.GalaxyTalosException e),
  UpdateOffsetResponse updateOffset(1: UpdateOffsetRequest request) throws (1: common.GalaxyTalosException e),
  QueryOffsetResponse queryOffset(1: QueryOffsetRequest request) throws (1: common.GalaxyTalosException e),
  QueryWorkerResponse queryWorker(1: QueryWorkerRequest request) throws (1: common.GalaxyTalosException e),
  TopicsQueryWorkerResponse queryWorkerForTopics(1: TopicsQueryWorkerRequest request) throws (1: common.GalaxyTalosException e),
  QueryOrgOffsetResponse queryOrgOffset(1: QueryOrgOffsetRequest request) throws (1: common.GalaxyTalosException e),
  GetWorkerIdResponse getWorkerId(1: GetWorkerIdRequest request) throws (1: common.GalaxyTalosException e),
  void deleteConsumerGroup(1: DeleteConsumerGroupRequest request) throws (1: common.GalaxyTalosException e)
}
