// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Does what HBase's shell would do, without Ruby: creates a table, puts and gets a row, moves regions.
 *
 * <p>Confined: the main thread.
 */
public final class HBaseTool {
    private static final byte[] FAMILY = bytes("f");
    private static final byte[] VALUE = bytes("v");

    private HBaseTool() {}

    /**
     * @param arguments one of {@code create TABLE}, {@code put TABLE ROW VALUE}, {@code get TABLE ROW}, {@code move
     *     TABLE} and {@code check}
     */
    public static void main(String[] arguments) throws IOException {
        try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
            switch (arguments[0]) {
                case "create" -> create(connection, TableName.valueOf(arguments[1]));
                case "put" -> put(connection, TableName.valueOf(arguments[1]), arguments[2], arguments[3]);
                case "get" -> get(connection, TableName.valueOf(arguments[1]), arguments[2]);
                case "move" -> move(connection, TableName.valueOf(arguments[1]));
                case "check" -> check(connection);
                default ->
                    throw new IllegalArgumentException(arguments[0] + " (expected: create, put, get, move or check)");
            }
        }
    }

    private static void create(Connection connection, TableName table) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            admin.createTable(TableDescriptorBuilder.newBuilder(table)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build());
        }
    }

    private static void put(Connection connection, TableName name, String row, String value) throws IOException {
        try (Table table = connection.getTable(name)) {
            table.put(new Put(bytes(row)).addColumn(FAMILY, VALUE, bytes(value)));
        }
    }

    private static void get(Connection connection, TableName name, String row) throws IOException {
        try (Table table = connection.getTable(name)) {
            Result result = table.get(new Get(bytes(row)));
            System.out.println(
                    result.isEmpty() ? "" : new String(result.getValue(FAMILY, VALUE), StandardCharsets.UTF_8));
        }
    }

    /** To the other region server when there are two; else each is closed and opened again where it is. */
    private static void move(Connection connection, TableName table) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            boolean alone = admin.getRegionServers().size() < 2;
            for (RegionInfo region : admin.getRegions(table)) {
                if (alone) {
                    admin.unassign(region.getRegionName());
                    admin.assign(region.getRegionName());
                } else {
                    admin.move(region.getEncodedNameAsBytes());
                }
            }
        }
    }

    /** Reads from each table, which takes as long as its regions are not served. */
    private static void check(Connection connection) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            List<TableName> tables = new ArrayList<>(List.of(admin.listTableNames()));
            tables.add(TableName.META_TABLE_NAME);
            for (TableName name : tables) {
                try (Table table = connection.getTable(name);
                        ResultScanner scanner = table.getScanner(new Scan().setLimit(1))) {
                    scanner.next();
                }
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
