// Requests between servers and their answers; docs/formats/transfer.md says how they travel. Not part of the SDKs'
// contract. A field number is never used again, and a new field is optional: the other server may be older.
namespace java org.talos.server.transfer.wire.generated

include "common.thrift"

// On whose behalf a request is made, and what is left of its time: clocks are not compared.
struct WireContext {
  1: required string caller,
  2: required i64 remainingNanos,
  // Of the span that the request belongs to; only servers that trace send it.
  3: optional string traceparent
}

struct WireLog {
  1: required string topicId,
  2: required i32 partition
}

struct WireBlock {
  1: required i32 messages,
  2: required i32 compression,
  3: required i64 createTimestamp,
  4: required binary attributes,
  5: required binary bytes
}

struct WireStoredBlock {
  1: required i64 baseOffset,
  2: required i64 appendTimestamp,
  3: required WireBlock block
}

struct WireBounds {
  1: required WireLog log,
  2: required i64 startOffset,
  3: required i64 endOffset,
  4: required i64 bytes,
  // The newest offsets that no message has: the first, and one past the last. Neither if there are none.
  5: optional i64 gapFirst,
  6: optional i64 gapEnd
}

// Whether the client may send the same put again.
enum WireOrigin {
  UNIQUE = 0,
  REPEATED = 1
}

struct PutCall {
  1: required WireContext context,
  2: required WireLog log,
  3: required string sequenceId,
  4: required WireOrigin origin,
  5: required list<WireBlock> blocks
}

struct ReadCall {
  1: required WireContext context,
  2: required WireLog log,
  3: required i64 offset,
  4: required i32 maxMessages,
  5: required i64 maxBytes,
  6: required i64 minBytes,
  7: required i64 waitNanos
}

struct ReadResult {
  1: required list<WireStoredBlock> blocks,
  2: required i64 startOffset,
  3: required i64 durableEnd
}

struct BoundsCall {
  1: required WireContext context,
  2: required list<WireLog> logs
}

// Without the logs that are not served there.
struct BoundsResult {
  1: required list<WireBounds> logs
}

struct OffsetAtTimeCall {
  1: required WireContext context,
  2: required WireLog log,
  3: required i64 timeMillis
}

// Result of put (first offset) and of offsetAtTime.
struct OffsetResult {
  1: required i64 offset
}

// Deletes the messages before an offset, or all of them if it is -1; a preview deletes nothing.
struct DeleteCall {
  1: required WireContext context,
  2: required WireLog log,
  3: required i64 before,
  4: required bool preview
}

// Where the log began, and where it begins now; the messages between, and their bytes.
struct DeleteResult {
  1: required i64 fromOffset,
  2: required i64 toOffset,
  3: required i64 messages,
  4: required i64 bytes
}

// A log, and the offset at or behind which a message is awaited.
struct WireEnd {
  1: required WireLog log,
  2: required i64 offset
}

struct AwaitCall {
  1: required WireContext context,
  2: required list<WireEnd> ends,
  3: required i64 waitNanos
}

// The logs that have such a message, or are not served there; none once the wait is over.
struct AwaitResult {
  1: required list<WireLog> logs
}

// Names a put by its connection and its request number: its client was not answered.
struct UnansweredCall {
  1: required WireContext context,
  2: required binary connectionId,
  3: required i64 requestId
}

struct UnansweredResult {
}

// What is known of a failed request's effect: it did not happen, unknown, it did happen.
enum WireEffect {
  NONE = 0,
  UNKNOWN = 1,
  DONE = 2
}

// Messages of a partition that cannot be read: the offsets of the first one and of the last one.
struct WireOffsets {
  1: required i32 partition,
  2: required i64 first,
  3: required i64 last
}

struct WireError {
  1: required common.ErrorCode code,
  2: required WireEffect effect,
  3: required string message,
  // Name of what went wrong, where the code has only one for much that differs; others than those known say nothing.
  4: optional string fault,
  // Of a read that begins at damaged messages.
  5: optional WireOffsets damaged
}
