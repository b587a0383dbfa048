// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.config.HBaseConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.hbase.AttemptFailure.Kind;
import org.talos.server.metadata.hbase.CellTable.KeyRange;
import org.talos.server.runtime.time.Ticker;

/**
 * The table that holds the rows, and the connection to it: creates, checks and describes it. Two of its rows have keys
 * that are no {@link org.talos.server.metadata.RowKey}:
 *
 * <pre>
 * 00 "format"   value: 4 bytes format version, big-endian
 * 00 "session"  its version is the number of openings so far
 * </pre>
 *
 * <p>Thread-safe. All calls block.
 */
public final class HBaseTable implements AutoCloseable {
    private static final int FORMAT = 1;
    private static final byte[] FORMAT_KEY = "\0format".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SESSION_KEY = "\0session".getBytes(StandardCharsets.US_ASCII);
    private static final Duration CONNECTION =
            Duration.ofSeconds(30); // the first connection of a process loads many classes
    private static final Duration ADMINISTRATION = Duration.ofMinutes(1); // a master may be slow
    private static final int ADMINISTRATION_ATTEMPTS = 15;
    private static final List<Durability> UNSAFE_DURABILITIES = List.of(Durability.SKIP_WAL, Durability.ASYNC_WAL);

    private final AsyncConnection connection;
    private final TableName name;
    private final CallTimes times;
    private final Ticker ticker;
    private final CellTable calls;

    private HBaseTable(AsyncConnection connection, TableName name, CallTimes times, Ticker ticker) {
        this.connection = connection;
        this.name = name;
        this.times = times;
        this.ticker = ticker;
        this.calls = new HBaseCellTable(connection, name, times);
    }

    /**
     * Connects to the cluster that the site's files describe. The table need not exist.
     *
     * @param site the cluster's client configuration, HBase's defaults included
     * @throws MetadataException UNAVAILABLE: the cluster cannot be reached
     */
    public static HBaseTable connect(Configuration site, HBaseConfig config, Ticker ticker) throws MetadataException {
        CallTimes times = new CallTimes(config.timeout());
        TableName name = TableName.valueOf(config.table());
        CompletableFuture<AsyncConnection> opening = ConnectionFactory.createAsyncConnection(settings(site, times));
        try {
            HBaseCall call =
                    new HBaseCall("the connection to the cluster", ticker, new CallTimes(CONNECTION, CONNECTION));
            return new HBaseTable(call.read(() -> opening, Effect.NONE), name, times, ticker);
        } catch (MetadataException e) {
            var unused = opening.thenAccept(HBaseTable::closed); // if it still succeeds later
            throw e;
        }
    }

    private static Configuration settings(Configuration site, CallTimes times) {
        Configuration settings = new Configuration(site);
        int attemptMillis = Math.toIntExact(times.attempt().toMillis());
        settings.setInt("hbase.ipc.client.socket.timeout.connect", attemptMillis);
        settings.setInt(
                HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT,
                Math.toIntExact(times.all().toMillis()));
        settings.setInt("hbase.client.meta.read.rpc.timeout", attemptMillis);
        // Retries of a region's lookup, which all calls wait for: with the default of 15 it backs off by up to 10 s,
        // when
        // the region is long available again.
        settings.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 2);
        return settings;
    }

    /**
     * Creates the table if it does not exist, and checks it.
     *
     * @return whether it was created
     * @throws MetadataException as {@link #check}; also CORRUPT: the table's settings endanger its rows
     */
    public boolean create() throws MetadataException {
        boolean created = !admin("is the table there", admin -> admin.tableExists(name)) && createdNow();
        checkSettings();
        if (format().isEmpty()) {
            writeFormat();
        }
        check();
        return created;
    }

    /**
     * Checks how the table is set up. Needs a master.
     *
     * @throws MetadataException CORRUPT: its settings endanger the rows; UNAVAILABLE: the master does not answer
     */
    void checkSettings() throws MetadataException {
        List<String> problems = problems();
        if (!problems.isEmpty()) {
            throw new MetadataException(
                    Reason.CORRUPT, Effect.NONE, "the table " + name + " is not set up as it has to be: " + problems);
        }
    }

    private boolean createdNow() throws MetadataException {
        try {
            var unused = admin("creating the table", admin -> admin.createTable(description()));
            return true;
        } catch (MetadataException e) {
            if (e.getCause() instanceof TableExistsException) { // another process was faster
                return false;
            }
            throw e;
        }
    }

    /**
     * One version, since only the newest is read; kept in memory if there is room; a Bloom filter for the many reads of
     * missing rows; and writes logged on the disks of several machines before they are answered.
     */
    private TableDescriptor description() {
        return TableDescriptorBuilder.newBuilder(name)
                .setDurability(Durability.FSYNC_WAL)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(HBaseCellTable.FAMILY)
                        .setMaxVersions(1)
                        .setInMemory(true)
                        .setBloomFilterType(BloomType.ROW)
                        .build())
                .build();
    }

    private List<String> problems() throws MetadataException {
        return problems(admin("the table's description", admin -> admin.getDescriptor(name)));
    }

    /** Settings of a table that endanger its rows. */
    static List<String> problems(TableDescriptor found) {
        List<String> problems = new ArrayList<>();
        if (UNSAFE_DURABILITIES.contains(found.getDurability())) {
            problems.add("DURABILITY " + found.getDurability() + " loses rows (expected: FSYNC_WAL or SYNC_WAL)");
        }
        @Nullable ColumnFamilyDescriptor family = found.getColumnFamily(HBaseCellTable.FAMILY);
        if (family == null) {
            problems.add("no column family t: another program's table");
        } else {
            if (family.getTimeToLive() != HConstants.FOREVER) {
                problems.add("rows end after " + family.getTimeToLive() + " s (expected: no TTL)");
            }
            if (family.getMaxVersions() != 1) { // a compare-and-set would succeed where an earlier version matches
                problems.add("VERSIONS " + family.getMaxVersions()
                        + " lets a server write that has lost its partition (expected: 1)");
            }
        }
        return problems;
    }

    private void writeFormat() throws MetadataException {
        KeyRange everything = new KeyRange(new byte[] {0}, true, new byte[] {(byte) 0xff});
        if (!call("scan for rows")
                .read(() -> calls.scan(everything, 1), Effect.NONE)
                .isEmpty()) {
            throw new MetadataException(
                    Reason.CORRUPT, Effect.NONE, "the table " + name + " has rows but no format version");
        }
        byte[] format = ByteBuffer.allocate(Integer.BYTES).putInt(FORMAT).array();
        StoredRow row = StoredRow.row(1, 0, format);
        // Repeatable: it does not matter which attempt has written the row.
        var unused = call("writing the format version").read(() -> calls.replace(FORMAT_KEY, 0, row), Effect.UNKNOWN);
    }

    /**
     * Checks that the table exists and has this version's format. Needs no master.
     *
     * @throws MetadataException UNAVAILABLE: it does not exist, or no server answers; UNKNOWN_FORMAT: another version
     *     of this program made it; CORRUPT: its format cannot be read
     */
    public void check() throws MetadataException {
        Optional<byte[]> found = format();
        if (found.isEmpty()) {
            throw new MetadataException(
                    Reason.UNAVAILABLE, Effect.NONE, "the table " + name + " has no format version: run talos init");
        }
        byte[] value = StoredRow.decode(found.get()).value();
        int format = value.length < Integer.BYTES ? 0 : ByteBuffer.wrap(value).getInt();
        if (format != FORMAT) {
            throw new MetadataException(
                    Reason.UNKNOWN_FORMAT,
                    Effect.NONE,
                    "the table " + name + " has format version " + format + " (expected: " + FORMAT + ")");
        }
    }

    private Optional<byte[]> format() throws MetadataException {
        try {
            return startCall("the format version").read(() -> calls.get(FORMAT_KEY), Effect.NONE);
        } catch (MetadataException e) {
            if (e.getCause() instanceof TableNotFoundException) {
                throw new MetadataException(
                        Reason.UNAVAILABLE, Effect.NONE, "there is no table " + name + " in HBase: run talos init", e);
            }
            throw e;
        }
    }

    /** The state of cluster and table, as the master reports it. */
    TableState facts() throws MetadataException {
        ClusterMetrics cluster = admin(
                "the cluster's state",
                admin -> admin.getClusterMetrics(
                        EnumSet.of(ClusterMetrics.Option.HBASE_VERSION, ClusterMetrics.Option.LIVE_SERVERS)));
        List<HRegionLocation> regions = call("the table's regions")
                .read(() -> connection.getRegionLocator(name).getAllRegionLocations(), Effect.NONE);
        Optional<Instant> reported = cluster.getLiveServerMetrics().values().stream()
                .map(server -> Instant.ofEpochMilli(server.getReportTimestamp()))
                .max(Comparator.naturalOrder());
        return new TableState(
                cluster.getHBaseVersion(), cluster.getLiveServerMetrics().size(), regions.size(), problems(), reported);
    }

    /**
     * The state of cluster and table. Immutable.
     *
     * @param version the servers' HBase
     * @param servers number of live region servers
     * @param regions number of the table's regions
     * @param problems settings of the table that endanger its rows
     * @param reportedAt time of a region server's latest report to the master, by its own clock; they report every few
     *     seconds
     */
    record TableState(String version, int servers, int regions, List<String> problems, Optional<Instant> reportedAt) {
        /** Copies the list. */
        public TableState {
            problems = List.copyOf(problems);
        }
    }

    /** Takes a number that no other opening has had. A number may go unused, so an attempt can simply be repeated. */
    long nextSession() throws MetadataException {
        HBaseCall call = startCall("taking a session number");
        while (true) {
            Optional<byte[]> cell = call.read(() -> calls.get(SESSION_KEY), Effect.NONE);
            long last = cell.isPresent() ? StoredRow.decode(cell.get()).version() : 0;
            try {
                if (call.await(calls.replace(SESSION_KEY, last, StoredRow.row(last + 1, last, new byte[0])))) {
                    return last + 1;
                }
                throw new AttemptFailure(Kind.BUSY, new IllegalStateException("another server has taken the number"));
            } catch (AttemptFailure e) {
                call.repeatAfter(e, Effect.NONE);
            }
        }
    }

    CellTable calls() {
        return calls;
    }

    CallTimes times() {
        return times;
    }

    private HBaseCall call(String what) {
        return new HBaseCall(what, ticker, times);
    }

    /** A call at the start of a server, with the longer timeout of a connection. */
    private HBaseCall startCall(String what) {
        return new HBaseCall(what, ticker, new CallTimes(CONNECTION, times.attempt()));
    }

    private <T> T admin(String what, Function<AsyncAdmin, CompletableFuture<T>> request) throws MetadataException {
        AsyncAdmin admin = connection
                .getAdminBuilder()
                .setOperationTimeout(ADMINISTRATION.toMillis(), TimeUnit.MILLISECONDS)
                .setMaxAttempts(ADMINISTRATION_ATTEMPTS)
                .build();
        CompletableFuture<T> answer = request.apply(admin);
        return new HBaseCall(what, ticker, new CallTimes(ADMINISTRATION, ADMINISTRATION))
                .read(() -> answer, Effect.NONE);
    }

    @Override
    public void close() {
        closed(connection);
    }

    private static void closed(AsyncConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException("a connection to HBase did not close", e);
        }
    }
}
