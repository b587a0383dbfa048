// The Talos wire contract, package auth. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

enum UserType {
  DEV_XIAOMI_SSO = 1,
  DEV_XIAOMI = 2,
  APP_SECRET = 10,
  APP_ACCESS_TOKEN = 11,
  APP_XIAOMI_SSO = 12,
  APP_ANONYMOUS = 13
}

enum MacAlgorithm {
  HmacMD5 = 1,
  HmacSHA1 = 2,
  HmacSHA256 = 3
}

enum AppUserAuthProvider {
  XIAOMI_SSO = 1,
  XIAOMI_OAUTH = 2,
  QQ_OAUTH = 3,
  SINA_OAUTH = 4,
  RENREN_OAUTH = 5
}

const string HK_HOST = "Host"

const string HK_TIMESTAMP = "X-Xiaomi-Timestamp"

const string MI_DATE = "x-xiaomi-date"

const string XIAOMI_HEADER_PREFIX = "x-xiaomi-"

const string HK_CONTENT_MD5 = "X-Xiaomi-Content-MD5"

const string HK_AUTHORIZATION = "Authorization"

const string HK_SERVICE_ADMIN = "Service-Admin"

const string HK_SERVICE_MARK = "#"

const string HK_ATTACHED_INFO = "Attached-Info"

const map<UserType, bool> SIGNATURE_SUPPORT = {1: false, 2: true, 10: true, 11: true, 12: false, 13: false}

const list<string> SUGGESTED_SIGNATURE_HEADERS = ["Host", "X-Xiaomi-Timestamp", "X-Xiaomi-Content-MD5"]

struct Credential {
  1: optional UserType type,
  2: optional string secretKeyId,
  3: optional string secretKey
}

struct HttpAuthorizationHeader {
  1: optional string version = "SDS-V1",
  2: optional UserType userType = 13,
  3: optional string secretKeyId,
  4: optional string secretKey,
  5: optional string signature,
  6: optional MacAlgorithm algorithm,
  7: optional list<string> signedHeaders,
  8: optional bool supportAccountKey
}
