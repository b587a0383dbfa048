// The Talos wire contract, package binlog. Field ids, names and spellings are the contract: changing one breaks every SDK.
namespace java org.talos.thrift

enum ColumnType {
  BOOLEAN = 0,
  TINYINT = 1,
  SMALLINT = 2,
  MEDIUMINT = 3,
  INT = 4,
  BIGINT = 5,
  REAL = 6,
  DOUBLE = 7,
  FLOAT = 8,
  DECIMAL = 9,
  NUMERIC = 10,
  CHAR = 11,
  VARCHAR = 12,
  TIMESTAMP = 13,
  UNSIGNEDINT = 14,
  ENUM = 15,
  UNSIGNEDTINYINT = 16,
  UNSIGNEDSMALLINT = 17,
  UNSIGNEDMEDIUMINT = 18,
  UNSIGNEDBIGINT = 19,
  DATE = 20,
  DATETIME = 21,
  TIME = 22,
  JSON = 23,
  YEAR = 24,
  SET = 25
}

enum Operation {
  INSERT = 0,
  UPDATE = 1,
  DELETE = 2,
  DUMP = 3,
  ADD_COLUMNS = 4,
  DROP_COLUMNS = 5
}

struct Column {
  1: optional bool boolValue,
  2: optional i32 i32Value,
  3: optional i64 i64Value,
  4: optional double doubleValue,
  5: optional string stringValue
}

struct ColumnSchema {
  1: required string name,
  2: optional ColumnType type,
  3: optional Column defaultValue
}

struct Row {
  1: required list<Column> row
}

struct Binlog {
  1: required i64 timestamp,
  2: required Operation operationType,
  3: required list<ColumnSchema> schema,
  4: optional list<Row> rows,
  5: optional string database,
  6: optional string table,
  7: optional list<string> primaryKey,
  8: optional list<Row> oldRows
}
