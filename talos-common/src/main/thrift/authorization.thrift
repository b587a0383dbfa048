// The Talos wire contract, package authorization. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

enum GrantType {
  DEVELOPER = 1,
  APP_ROOT = 2,
  APP_USER = 3,
  GUEST = 4
}

struct Grantee {
  1: optional GrantType type,
  2: optional string identifier
}
