// Talos' own service: users and their keys, consumer groups as people look at them and move them, and what Talos' own
// clients ask beyond the SDKs' contract. Not part of the SDKs' contract; path /v1/api/admin.
namespace java org.talos.thrift

include "common.thrift"
include "topic.thrift"

struct User {
  1: required string userId,
  2: required string keyId,
  3: required bool admin,
  4: required list<string> orgIds,
  5: required list<string> teamIds,
  6: required i64 createTimestamp
}

struct AddUserRequest {
  1: required string userId,
  2: required bool admin,
  3: required list<string> orgIds,
  4: required list<string> teamIds,
  // A key that the user brings, both or neither. Without them the server makes one.
  100: optional string keyId,
  101: optional string secretKey
}

// The only answer that ever carries a secret.
struct AddUserResponse {
  1: required User user,
  2: required string secretKey
}

struct ListUsersResponse {
  1: required list<User> users
}

struct RemoveUserRequest {
  1: required string userId
}

struct DescribeGroupRequest {
  1: required string topicName,
  2: required string consumerGroup
}

struct DescribedMember {
  1: required string memberId,
  2: required list<i32> partitions
}

// Offsets are next ones: what is committed is what is read next, the end is one past the newest message. Start, end and
// lag are not set while no server has the partition.
struct DescribedPartition {
  1: required i32 partitionId,
  2: optional string memberId,
  3: optional i64 committedOffset,
  4: optional i64 startOffset,
  5: optional i64 endOffset,
  6: optional i64 lag
}

struct DescribeGroupResponse {
  1: required list<DescribedMember> members,
  2: required list<DescribedPartition> partitions,
  // Not set if the group is nobody's.
  100: optional string owner,
  101: optional list<GroupGrant> grants
}

// What somebody may do with a group; each includes those before it.
enum GroupRight {
  READ = 1,
  COMMIT = 2,
  ADMINISTER = 3
}

struct GroupGrant {
  1: required string grantee,
  2: required GroupRight groupRight
}

struct GrantGroupRequest {
  1: required string topicName,
  2: required string consumerGroup,
  // A user, team or org.
  3: required string grantee,
  4: required GroupRight groupRight
}

struct RevokeGroupRequest {
  1: required string topicName,
  2: required string consumerGroup,
  3: required string grantee
}

struct CheckGranteeRequest {
  1: required string grantee
}

struct CheckGranteeResponse {
  // Why a grant to this identifier may have no effect. Not set if a user, team or org has the identifier.
  1: optional string warning
}

enum ResetPlace {
  EARLIEST = 1,
  LATEST = 2,
  OFFSET = 3,
  TIME = 4
}

struct ResetGroupRequest {
  1: required string topicName,
  2: required string consumerGroup,
  3: required ResetPlace place,
  // The offset, or the time in ms since 1970; with the other places it is not looked at.
  4: optional i64 value,
  // All of them if this is not set.
  5: optional set<i32> partitions,
  // Tell what would change and change nothing.
  6: required bool preview,
  // Also while the group has members.
  7: required bool force
}

struct MovedPartition {
  1: required i32 partitionId,
  2: optional i64 fromOffset,
  3: required i64 toOffset
}

struct ResetGroupResponse {
  1: required list<MovedPartition> partitions
}

struct LeaveGroupRequest {
  1: required string consumerGroup,
  2: required topic.TopicTalosResourceName topicTalosResourceName,
  3: required string workerId
}

service AdminService extends common.TalosBaseService {
  AddUserResponse addUser(1: AddUserRequest request) throws (1: common.GalaxyTalosException e),
  ListUsersResponse listUsers() throws (1: common.GalaxyTalosException e),
  void removeUser(1: RemoveUserRequest request) throws (1: common.GalaxyTalosException e),
  DescribeGroupResponse describeGroup(1: DescribeGroupRequest request) throws (1: common.GalaxyTalosException e),
  ResetGroupResponse resetGroup(1: ResetGroupRequest request) throws (1: common.GalaxyTalosException e),
  // Gives a right in place of what the grantee had. A group of nobody becomes the caller's.
  void grantGroup(1: GrantGroupRequest request) throws (1: common.GalaxyTalosException e),
  // Takes it; may be repeated.
  void revokeGroup(1: RevokeGroupRequest request) throws (1: common.GalaxyTalosException e),
  // Tells whether a user, team or org has the identifier of a grantee now. Earlier servers do not know the call.
  CheckGranteeResponse checkGrantee(1: CheckGranteeRequest request) throws (1: common.GalaxyTalosException e),
  // Ends a worker at once, with its locks; otherwise it is there until its time is over. May be repeated.
  void leaveGroup(1: LeaveGroupRequest request) throws (1: common.GalaxyTalosException e)
}
