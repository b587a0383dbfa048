// The Talos wire contract, package message. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

include "common.thrift"
include "topic.thrift"

enum MessageType {
  BINARY = 1,
  UTF8 = 2,
  THRIFT = 3,
  AVRO = 4,
  PROTOBUF = 5
}

enum MessageOffset {
  START_OFFSET = -1,
  LATEST_OFFSET = -2
}

enum MessageCompressionType {
  NONE = 0,
  SNAPPY = 1,
  GZIP = 2,
  ZSTD = 3,
  LZ4 = 4
}

struct Message {
  1: optional string partitionKey,
  2: optional string sequenceNumber,
  3: required binary message,
  4: optional i64 createTimestamp,
  5: optional i64 appendTimestamp,
  6: optional MessageType messageType,
  7: optional string SchemaFingerprint,
  8: optional string tag,
  // Talos' own: clients that do not know it skip it.
  100: optional map<string, binary> headers
}

struct MessageIndex {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 messageOffset,
  3: required i64 hdfsLogFileOffset,
  4: required i32 messageNumber,
  5: required i64 appendTimeStamp
}

struct HdfsMessageIndex {
  1: required i64 messageOffset,
  2: required string filePath,
  3: required i64 hdfsLogFileOffset,
  4: required i32 messageNumber
}

struct MessageAndOffset {
  1: required Message message,
  2: required i64 messageOffset,
  3: optional i64 unHandledMessageNumber
}

struct FetchMessageResult {
  1: required list<MessageAndOffset> messageList,
  2: optional i64 nextReadOffset
}

struct MessageBlock {
  1: required i64 startMessageOffset,
  2: required i32 messageNumber,
  3: required MessageCompressionType compressionType = 0,
  4: required binary messageBlock,
  5: optional i32 messageBlockSize,
  6: optional i64 appendTimestamp,
  7: optional i64 createTimestamp,
  8: optional list<i64> createTimestampList,
  9: optional i64 transactionId,
  10: optional string tag,
  11: optional i32 tagCode,
  // Talos' own: the traceparent of the put, which messages without that header get when they are read.
  100: optional string traceparent
}

struct PutMessageRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required list<MessageBlock> messageBlocks,
  3: required i32 messageNumber,
  4: required string sequenceId,
  5: optional i64 timeoutTimestamp
}

struct PutMessageResponse {
  1: required string sequenceId,
  2: optional bool isTransfer
}

struct GetMessageRequest {
  // field id 2 is unused: keep it free
  1: required topic.TopicAndPartition topicAndPartition,
  3: required i64 messageOffset,
  4: optional i32 maxGetMessageNumber = 2000,
  5: optional i32 maxGetMessageBytes = 10485760,
  6: optional bool showUnHandledMessageNumber = true,
  7: required string sequenceId,
  8: optional i64 timeoutTimestamp,
  9: optional set<string> messageTags
}

struct GetMessageResponse {
  1: required list<MessageBlock> messageBlocks,
  2: required i32 messageNumber,
  3: optional i64 unHandledMessageNumber,
  4: required string sequenceId,
  5: optional bool isTransfer,
  6: optional i64 nextReadOffset
}

struct PrepareRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required MessageBlock messageBlock,
  3: required i32 messageNumber,
  4: required string sequenceId,
  5: optional i64 timeoutTimestamp
}

struct PrepareResponse {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 transactionId,
  3: optional bool isTransfer
}

struct CommitRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 transactionId,
  3: required string sequenceId
}

struct CommitResponse {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 transactionId,
  3: optional bool isTransfer
}

struct RollbackRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 transactionId,
  3: required string sequenceId
}

struct RollbackResponse {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 transactionId,
  3: optional bool isTransfer
}

struct GetUnkownStateTransactionRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: optional i64 timeoutTimestamp
}

struct GetUnkownStateTransactionResponse {
  1: required map<i64, MessageBlock> unknowStateTransactions,
  2: required bool isReadAllUnknowInfo
}

struct OffsetInfo {
  1: required i32 partitionId,
  2: optional i64 startOffset,
  3: optional i64 endOffset,
  4: optional common.ErrorCode errorCode,
  5: optional string errorMsg
}

struct GetTopicOffsetRequest {
  1: required topic.TopicTalosResourceName topicTalosResourceName
}

struct GetTopicOffsetResponse {
  1: required list<OffsetInfo> offsetInfoList
}

struct GetPartitionOffsetRequest {
  1: required topic.TopicAndPartition topicAndPartition
}

struct GetPartitionOffsetResponse {
  1: required OffsetInfo offsetInfo
}

struct GetPartitionsOffsetRequest {
  1: required list<topic.TopicAndPartition> topicAndPartitionList
}

struct GetPartitionsOffsetResponse {
  1: required list<OffsetInfo> offsetInfoList
}

struct GetScheduleInfoRequest {
  1: required topic.TopicTalosResourceName topicTalosResourceName
}

struct GetScheduleInfoResponse {
  1: required map<topic.TopicAndPartition, string> scheduleInfo
}

struct GetCheckpointRequest {
  1: required topic.TopicTalosResourceName topicTalosResourceName,
  2: required map<i32, i64> partitionTimeIndexMap
}

struct GetCheckpointResponse {
  1: required map<i32, i64> partitionsCheckPoint
}

struct GetPartitionCheckpointRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 partitionTimeIndex
}

struct GetPartitionCheckpointResponse {
  1: required i64 partitionCheckPoint
}

struct DeleteMessageIndexRequest {
  1: required topic.TopicAndPartition topicAndPartition,
  2: required i64 startOffset,
  3: required i64 endOffset
}

service MessageService extends common.TalosBaseService {
  PutMessageResponse putMessage(1: PutMessageRequest request) throws (1: common.GalaxyTalosException e),
  GetMessageResponse getMessage(1: GetMessageRequest request) throws (1: common.GalaxyTalosException e),
  GetTopicOffsetResponse getTopicOffset(1: GetTopicOffsetRequest request) throws (1: common.GalaxyTalosException e),
  GetPartitionOffsetResponse getPartitionOffset(1: GetPartitionOffsetRequest request) throws (1: common.GalaxyTalosException e),
  GetPartitionsOffsetResponse getPartitionsOffset(1: GetPartitionsOffsetRequest request),
  GetScheduleInfoResponse getScheduleInfo(1: GetScheduleInfoRequest request) throws (1: common.GalaxyTalosException e),
  PrepareResponse prepare(1: PrepareRequest request) throws (1: common.GalaxyTalosException e),
  CommitResponse commit(1: CommitRequest request) throws (1: common.GalaxyTalosException e),
  RollbackResponse rollback(1: RollbackRequest request) throws (1: common.GalaxyTalosException e),
  GetUnkownStateTransactionResponse getUnkownStateTransaction(1: GetUnkownStateTransactionRequest request) throws (1: common.GalaxyTalosException e),
  GetCheckpointResponse getTopicCheckpoint(1: GetCheckpointRequest request) throws (1: common.GalaxyTalosException e),
  GetPartitionCheckpointResponse getPartitionCheckpoint(1: GetPartitionCheckpointRequest request) throws (1: common.GalaxyTalosException e),
  void deleteMessageIndex(1: DeleteMessageIndexRequest request) throws (1: common.GalaxyTalosException e)
}
