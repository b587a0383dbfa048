// Talos' own service for its command line: users and their keys. Not part of the SDKs' contract; path /v1/api/admin.
namespace java org.talos.thrift

include "common.thrift"

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
  4: required list<string> teamIds
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

service AdminService extends common.TalosBaseService {
  AddUserResponse addUser(1: AddUserRequest request) throws (1: common.GalaxyTalosException e),
  ListUsersResponse listUsers() throws (1: common.GalaxyTalosException e),
  void removeUser(1: RemoveUserRequest request) throws (1: common.GalaxyTalosException e)
}
