// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.library.NativeLibraries;
import org.talos.common.message.CompressionLibraries;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.metadata.MeasuredMetadataStore;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataProbe;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.hbase.HBaseMetadataStore;
import org.talos.server.metadata.hbase.HBaseTable;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.HdfsMetrics;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.partition.PartitionRows;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.seam.Seams;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.hdfs.AppendForm;
import org.talos.server.storage.hdfs.HdfsListener;
import org.talos.server.storage.hdfs.HdfsRoot;
import org.talos.server.storage.hdfs.HdfsSegmentStore;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.local.LocalGeneration;
import org.talos.server.storage.local.LocalSegmentStore;

/**
 * Opens the two stores that the configuration names, and registers their health checks. The only class that knows all
 * implementations.
 *
 * <p>Confined: the thread that starts and stops the server; the stores themselves are thread-safe.
 */
public final class Stores implements AutoCloseable {
    /** Name, in the data directory, of the logs on the local disk. */
    public static final String LOGS = "logs";
    /** Name, in the data directory, of the metadata on the local disk. */
    public static final String METADATA = "metadata";

    /** Name, in the data directory, of the note that says how far the metadata was written. */
    public static final String METADATA_NOTE = "metadata.written";

    private static final Logger LOG = LoggerFactory.getLogger(Stores.class);
    private static final Duration LOADING_AT_MOST = Duration.ofMinutes(10); // of another process

    private final ServerConfig config;
    private final DiskSpace disk;
    private final Closing closing = new Closing();
    private final @Nullable HadoopLogin login; // if one of the stores is in a cluster
    private final LogStore logs;
    private final MetadataStore metadata;

    /**
     * Opens both stores.
     *
     * @param metrics of this opening alone, as another may follow on one that fails
     * @param seams around the files of each journal, and the form of appends to HDFS
     * @param disk is notified of writes that found it full
     * @throws IOException the cluster's client files or the key for it cannot be read, or the key is refused
     * @throws StorageException the logs cannot be opened, are damaged, another server has them, or they are not those
     *     of the rows
     * @throws MetadataException the metadata cannot be opened, or another server has it
     */
    public Stores(
            ServerConfig config,
            Ticker ticker,
            InstantSource clock,
            Metrics metrics,
            LogMetrics logMetrics,
            Seams seams,
            DiskSpace disk)
            throws IOException, StorageException, MetadataException {
        this.config = config;
        this.disk = disk;
        try {
            Path directory = Path.of(config.dataDirectory()).toAbsolutePath();
            DataDirectory.secure(directory);
            loadLibraries(directory, clock);
            login = config.storage().onHadoop() ? closing.add(HadoopLogin.open(config)) : null;
            awaitHdfs(ticker);
            MetadataMetrics metadataMetrics = new MetadataMetrics(metrics);
            MetadataStore opened = openMetadata(ticker, clock, metadataMetrics);
            metadata = closing.add(new MeasuredMetadataStore(opened, metadataMetrics, ticker));
            refuseLogsOfOthers(opened);
            Optional<Generation> generation = checkedGeneration();
            logs = openLogs(ticker, metrics, logMetrics, seams);
            generation.ifPresent(closing::add); // closed behind the logs
            closing.add(logs.store);
            if (generation.isPresent()) {
                generation.get().advance();
            }
        } catch (IOException | StorageException | MetadataException | RuntimeException | Error e) {
            closing.close();
            throw e;
        }
    }

    /**
     * Unpacks native libraries in the data directory. The directory for temporary files may forbid execution, and
     * nothing would delete what a killed process leaves there.
     */
    private void loadLibraries(Path directory, InstantSource clock) throws MetadataException {
        NativeLibraries.deleteStale(directory, clock.instant().minus(LOADING_AT_MOST));
        List<Path> places = List.of(directory, NativeLibraries.temporaryFiles());
        CompressionLibraries.load(places);
        if (config.storage().metadata() == MetadataIn.ROCKSDB) {
            RocksDbMetadataStore.loadLibrary(places);
        }
    }

    /**
     * Checks before anything is opened whether the logs are those of the rows. Stores that many servers share were
     * paired by bin/talos init; a server that has one of them for itself says it at its first start.
     */
    private void refuseLogsOfOthers(MetadataStore rows) throws IOException, StorageException, MetadataException {
        boolean inHdfs = config.storage().logs() == LogsIn.HDFS;
        boolean inHbase = config.storage().metadata() == MetadataIn.HBASE;
        String place = rowsPlace();
        try (LogsIdentity of = inHdfs ? HdfsRoot.identity(config.hdfs()) : LocalSegmentStore.identity(data(LOGS))) {
            StorePair pair = new StorePair(of, rows, place);
            String identity = inHdfs && inHbase ? pair.check() : pair.checkOrGive(StorePair::newIdentity);
            LOG.info("logs belong to rows logs={} rows={} identity={}", of.place(), place, identity);
        }
    }

    /** Checks logs on this machine. Nothing in them is changed before they are found to be no earlier copy. */
    private Optional<Generation> checkedGeneration() throws StorageException, MetadataException {
        if (config.storage().logs() != LogsIn.LOCAL) {
            return Optional.empty();
        }
        Generation generation = new Generation(new LocalGeneration(data(LOGS)), metadata, rowsPlace());
        var unused = generation.check();
        return Optional.of(generation);
    }

    private String rowsPlace() {
        return config.storage().metadata() == MetadataIn.HBASE
                ? "the table " + config.hbase().table()
                : data(METADATA).toString();
    }

    private LogStore openLogs(Ticker ticker, Metrics metrics, LogMetrics logMetrics, Seams seams)
            throws IOException, StorageException {
        StoreListener listener =
                new StoreListener(logMetrics, new HdfsMetrics(metrics), new PoolMetrics(metrics), seams, disk);
        JournaledSegmentStore store = switch (config.storage().logs()) {
            case LOCAL ->
                LocalSegmentStore.open(
                        data(LOGS), config.log(), ticker, listener, new PartitionRows(new Partitions(metadata)));
            case HDFS ->
                HdfsSegmentStore.open(
                        config.hdfs(), config.log(), ClientConfiguration.hdfs(config.hdfs()), ticker, listener);
        };
        return new LogStore(store, store::failure, store::unwrittenBytes);
    }

    /** First: HBase's own files are there too. */
    private void awaitHdfs(Ticker ticker) throws IOException, StorageException, MetadataException {
        if (config.storage().logs() == LogsIn.HDFS) {
            startWait(ticker).open("HDFS", () -> {
                HdfsRoot.reach(config.hdfs());
                return true;
            });
        }
    }

    private MetadataStore openMetadata(Ticker ticker, InstantSource clock, MetadataMetrics metrics)
            throws IOException, StorageException, MetadataException {
        return switch (config.storage().metadata()) {
            case ROCKSDB -> RocksDbMetadataStore.open(data(METADATA), data(METADATA_NOTE));
            case HBASE -> startWait(ticker).open("HBase", () -> openHBase(ticker, clock, metrics));
        };
    }

    private MetadataStore openHBase(Ticker ticker, InstantSource clock, MetadataMetrics metrics)
            throws IOException, MetadataException {
        return HBaseMetadataStore.open(
                HBaseTable.connect(ClientConfiguration.hbase(config.hbase()), config.hbase(), ticker),
                ticker,
                clock,
                metrics);
    }

    /** HDFS and HBase are waited for as ZooKeeper is. */
    private StartWait startWait(Ticker ticker) {
        Duration most = config.zookeeper().sessionTimeout().multipliedBy(2);
        CountDownLatch never = new CountDownLatch(1);
        return new StartWait(most, ticker, time -> {
            var unused = never.await(time.toNanos(), TimeUnit.NANOSECONDS);
        });
    }

    private Path data(String name) {
        return Path.of(config.dataDirectory()).toAbsolutePath().resolve(name);
    }

    public SegmentStore logs() {
        return logs.store;
    }

    public MetadataStore metadata() {
        return metadata;
    }

    /** Registers the health checks of both stores, and the figures that exist only in journals and memory. */
    public void registerWith(Readiness readiness, LogMetrics metrics) {
        metrics.watchUnwritten(logs.unwritten);
        if (login != null) {
            readiness.watch("kerberos", login::failure);
        }
        readiness.watch("storage", logs.failure);
        readiness.watch("metadata", new MetadataProbe(metadata)::failure);
    }

    /** Closes the logs first: what they still have to write is acknowledged already. */
    @Override
    public void close() {
        closing.close();
    }

    /** Records the store's events as metrics, and gives the store its seams. Thread-safe. */
    private record StoreListener(LogMetrics log, HdfsMetrics hdfs, PoolMetrics pools, Seams seams, DiskSpace disk)
            implements HdfsListener {
        @Override
        public void failed(Throwable cause) {
            if (StorageException.isDiskFull(cause)) {
                disk.met();
            }
        }

        @Override
        public JournalFiles around(JournalFiles own) {
            return seams.journals().apply(own);
        }

        @Override
        public AppendForm around(AppendForm own, AppendForm.FileMaker files) {
            return seams.form().apply(own, files);
        }

        @Override
        public void batchSynced(long bytes, long writeNanos, long syncNanos) {
            log.journalled(bytes, writeNanos, syncNanos);
        }

        @Override
        public void poolMade(BackgroundPool pool) {
            pools.watch(pool);
        }

        @Override
        public void sessionBegun() {
            hdfs.sessionBegun();
        }

        @Override
        public void sessionReplayed(long bytes, long fenceNanos, long replayNanos) {
            hdfs.sessionReplayed(bytes, fenceNanos, replayNanos);
        }

        @Override
        public void leaseRecovered(long nanos) {
            hdfs.leaseRecovered(nanos);
        }

        @Override
        public void bytesRead(long bytes, long nanos) {
            hdfs.bytesRead(bytes, nanos);
        }
    }

    /** A segment store, and the reason why nothing can be appended to it, if there is one. Immutable. */
    private record LogStore(SegmentStore store, Callable<Optional<String>> failure, LongSupplier unwritten) {}
}
