// The Talos wire contract, package metric. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

include "common.thrift"
include "topic.thrift"

struct PartitionConsumeUnit {
  1: required i32 partitionId,
  2: required string ipAddr,
  3: required i64 consumerCommitOffset,
  4: required i64 consumerOffsetLag
}

struct ConsumerGroupAndTopic {
  1: required string consumerGroupName,
  2: required topic.TopicTalosResourceName topicTalosResourceName
}

struct QueryConsumerGroupRequest {
  1: required topic.TopicTalosResourceName topicTalosResourceName
}

struct QueryConsumerGroupResponse {
  1: required set<string> consumerGroupList
}

struct GetTopicConsumeUnitRequest {
  1: required ConsumerGroupAndTopic consumerGroupAndTopic
}

struct GetTopicConsumeUnitResponse {
  1: required list<PartitionConsumeUnit> partitionConsumeUnitList
}

struct QueryTopicConsumeUnitRequest {
  1: required topic.TopicTalosResourceName topicTalosResourceName
}

struct QueryTopicConsumeUnitResponse {
  1: required map<string, list<PartitionConsumeUnit>> topicConsumeUnitMap
}

struct GetDataPreviewRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: optional i64 timeoutTimestamp
}

struct GetDataPreviewResponse {
  1: required list<string> schemaTitleList,
  2: required list<map<string, string>> messageLists,
  3: required i32 messageNumber,
  4: optional bool isTransfer
}

service MetricService extends common.TalosBaseService {
  topic.ListTopicsInfoResponse listTopics() throws (1: common.GalaxyTalosException e),
  QueryConsumerGroupResponse queryConsumerGroup(1: QueryConsumerGroupRequest request) throws (1: common.GalaxyTalosException e),
  GetTopicConsumeUnitResponse getTopicConsumeUnit(1: GetTopicConsumeUnitRequest request) throws (1: common.GalaxyTalosException e),
  QueryTopicConsumeUnitResponse queryTopicConsumeUnit(1: QueryTopicConsumeUnitRequest request) throws (1: common.GalaxyTalosException e),
  GetDataPreviewResponse getDataPreview(1: GetDataPreviewRequest request) throws (1: common.GalaxyTalosException e)
}
