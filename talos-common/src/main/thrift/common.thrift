// The Talos wire contract, package common. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

enum HttpStatusCode {
  BAD_REQUEST = 400,
  INVALID_AUTH = 401,
  CLOCK_TOO_SKEWED = 412,
  REQUEST_TOO_LARGE = 413,
  INTERNAL_ERROR = 500
}

enum ErrorCode {
  NO_ERROR = 0,
  UNKNOWN = 1,
  UNEXPECTED_ERROR = 2,
  UNEXPECTED_MESSAGE_OFFSET = 3,
  TOPIC_EXIST = 4,
  TOPIC_NOT_EXIST = 5,
  QUOTA_NOT_EXIST = 6,
  LOCK_EXIST = 7,
  LOCK_NOT_EXIST = 8,
  LOCK_VALUE_NOT_EXPECTED = 9,
  MESSAGE_MISSING = 10,
  MESSAGE_INCOMPLETE = 11,
  MESSAGE_INDEX_UNDESIRED_ERROR = 12,
  MESSAGE_INDEX_NOT_EXIST = 13,
  MESSAGE_OFFSET_OUT_OF_RANGE = 14,
  INVALID_NAME_ERROR = 15,
  INVALID_TOPIC_PARAMS = 16,
  OPERATION_FAILED = 17,
  HDFS_OPERATION_FAILED = 18,
  HBASE_OPERATION_FAILED = 19,
  ZOOKEEPER_OPERATION_FAILED = 20,
  PARTITION_NOT_SERVING = 21,
  PARTITION_NOT_EXIST = 22,
  ZK_NODE_EXIST = 23,
  ZK_NODE_NOT_EXIST = 24,
  REST_SERVER_INIT_ERROR = 25,
  INTERNAL_SERVER_ERROR = 26,
  EXCESSIVE_PENDING_MESSAGE = 27,
  PERMISSION_DENIED_ERROR = 28,
  HDFS_FILE_NOT_EXIST = 29,
  INVALID_AUTH_INFO = 30,
  SUB_RESOURCE_NAME_EXIST = 31,
  SUB_RESOURCE_NAME_NOT_EXIST = 32,
  REQUEST_PROCESS_TIMEOUT = 33,
  QUOTA_EXCEEDED = 34,
  THROTTLE_REJECT_ERROR = 35,
  QUOTA_AUTO_APPROVE_FAILED = 36,
  HBASE_OPERATION_BLOCKED = 37,
  CLOCK_TOO_SKEWED = 38,
  REQUEST_TOO_LARGE = 39,
  BAD_REQUEST = 40,
  CONSUMER_NOT_EXIST = 41,
  TRANSACTION_FINISHED = 42,
  TRANSACTION_NOT_EXIST = 43,
  GET_DATA_PREVIEW_ERROR = 44,
  TALOS_SCHEMA_ERROR = 45,
  SOURCE_ClUSTER_LIST_HAS_CIRCLE = 46,
  PUT_MESSAGE_FAILED_TO_MIRROR_PARTITION = 47,
  NOT_TRANSACTION_TOPIC_ERROR = 48,
  TRANSACTION_ACK_DUPLICATED = 49,
  CHANGE_PARTITION_TOO_FAST = 50,
  TOO_MANY_CONSUMER = 51,
  CONSUMER_GROUP_STILL_WORKING = 52
}

enum RetryType {
  SAFE = 0,
  UNSAFE = 1
}

const i32 MAX_RETRY = 1

// ErrorCode number to the pause before the first repetition, in milliseconds.
const map<i32, i64> ERROR_BACKOFF = {5: 1000, 6: 1000, 17: 2000, 21: 2000, 25: 1000, 2: 1000, 10: 1000, 11: 1000, 12: 1000, 13: 1000, 14: 1000, 15: 1000, 26: 1000}

const map<i32, RetryType> ERROR_RETRY_TYPE = {5: 0, 6: 0, 17: 0, 21: 0, 25: 0, 2: 1, 10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1, 26: 1}

exception GalaxyTalosException {
  1: optional ErrorCode errorCode,
  2: optional string errMsg,
  3: optional string details
  // Ours, not the contract's: what is known of the effect of the call that failed, NONE, UNKNOWN or DONE. Absent from
  // other servers.
  100: optional string effect
}

struct Version {
  1: required i32 major = 1,
  2: required i32 minor,
  3: required i32 revision,
  4: required string date = "19700101",
  5: optional string details
}

service TalosBaseService {
  Version getServiceVersion() throws (1: GalaxyTalosException e),
  void validClientVersion(1: Version clientVersion) throws (1: GalaxyTalosException e)
}
