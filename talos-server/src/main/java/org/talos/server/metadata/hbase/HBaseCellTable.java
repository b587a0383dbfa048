// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;

/**
 * The table through HBase's asynchronous client, with the client's retries switched off: a mutation sent again by the
 * client would hide whether the first one has happened.
 *
 * <p>Thread-safe.
 */
final class HBaseCellTable implements CellTable {
    static final byte[] FAMILY = {'t'};
    static final byte[] QUALIFIER = {'r'};

    private final AsyncTable<?> table;
    private final AsyncTableRegionLocator regions;

    HBaseCellTable(AsyncConnection connection, TableName name, CallTimes times) {
        long millis = times.attempt().toMillis();
        table = connection
                .getTableBuilder(name)
                .setMaxAttempts(1)
                .setOperationTimeout(millis, TimeUnit.MILLISECONDS)
                .setRpcTimeout(millis, TimeUnit.MILLISECONDS)
                .setReadRpcTimeout(millis, TimeUnit.MILLISECONDS)
                .setWriteRpcTimeout(millis, TimeUnit.MILLISECONDS)
                .setScanTimeout(millis, TimeUnit.MILLISECONDS)
                .build();
        regions = connection.getRegionLocator(name);
    }

    @Override
    public CompletableFuture<?> locate(byte[] key) {
        return regions.getRegionLocation(key);
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(byte[] key) {
        Get get = new Get(key).addColumn(FAMILY, QUALIFIER);
        return relocated(key, table.get(get)).thenApply(HBaseCellTable::cell);
    }

    @Override
    public CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next) {
        Put put = new Put(key).addColumn(FAMILY, QUALIFIER, next.encode());
        CheckAndMutate.Builder check = CheckAndMutate.newBuilder(key);
        CheckAndMutate change = replaced == 0
                ? check.ifNotExists(FAMILY, QUALIFIER).build(put)
                : check.ifMatches(startsWith(version(replaced), 0)).build(put);
        return relocated(key, table.checkAndMutate(change)).thenApply(CheckAndMutateResult::isSuccess);
    }

    @Override
    public CompletableFuture<List<KeyedCell>> scan(KeyRange range, int limit) {
        Scan scan = new Scan()
                .withStartRow(range.from(), range.inclusive())
                .withStopRow(range.end())
                .addColumn(FAMILY, QUALIFIER)
                .setFilter(startsWith(new byte[] {StoredRow.ROW}, StoredRow.KIND_AT))
                .setLimit(limit);
        return relocated(range.from(), table.scanAll(scan)).thenApply(HBaseCellTable::rows);
    }

    private static byte[] version(long version) {
        return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
    }

    private static ValueFilter startsWith(byte[] bytes, int at) {
        return new ValueFilter(CompareOperator.EQUAL, new BinaryComponentComparator(bytes, at));
    }

    /**
     * The call, which on failure looks the region up again: with one attempt a call, HBase's client does not, and would
     * send to the wrong server forever.
     */
    private <T> CompletableFuture<T> relocated(byte[] key, CompletableFuture<T> call) {
        return call.whenComplete((done, failure) -> {
            if (failure != null) {
                var unused = regions.getRegionLocation(key, true);
            }
        });
    }

    private static Optional<byte[]> cell(Result result) {
        return Optional.ofNullable(result.getValue(FAMILY, QUALIFIER));
    }

    private static List<KeyedCell> rows(List<Result> results) {
        return results.stream().map(HBaseCellTable::found).toList();
    }

    private static KeyedCell found(Result result) {
        Cell cell = result.rawCells()[0]; // the filter passes only rows with a cell
        return new KeyedCell(CellUtil.cloneRow(cell), CellUtil.cloneValue(cell));
    }
}
