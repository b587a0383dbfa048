// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.talos.launcher.local.Folders;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.log.Block;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.time.Retention;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.local.LocalSegmentStore;

/**
 * The log of one partition over the local store, in a folder of its own, which is deleted when this is closed.
 * Configured as in the server, except for segments small enough to be created and deleted during a measurement.
 *
 * <p>Confined: one benchmark.
 */
final class LogOnDisk implements AutoCloseable {
    /** Names the folder that the folders are made in; without it they are the system's temporary ones. */
    static final String DATA_PROPERTY = "talos.micro.data";

    private static final LogId ID = new LogId("0123456789abcdef".repeat(2), 0);
    private static final String SEGMENT_BYTES = "64MiB";

    private final Path folder;
    private final LogConfig config;
    private final JournaledSegmentStore store;
    private final ExecutorService background;
    private final PartitionLog.Parts parts;
    private final ByteBuffer message;
    private MemoryCatalog catalog = new MemoryCatalog();
    private PartitionLog log;
    private long puts;

    private LogOnDisk(
            Path folder,
            LogConfig config,
            JournaledSegmentStore store,
            ExecutorService background,
            PartitionLog.Parts parts,
            ByteBuffer message)
            throws StorageException {
        this.folder = folder;
        this.config = config;
        this.store = store;
        this.background = background;
        this.parts = parts;
        this.message = message;
        log = open();
    }

    /** An empty log, whose puts have a message of this number of bytes. */
    static LogOnDisk open(Durability durability, int messageBytes)
            throws IOException, ConfigException, StorageException {
        Path parent = Path.of(System.getProperty(DATA_PROPERTY, System.getProperty("java.io.tmpdir")));
        Path folder = Files.createTempDirectory(parent, "talos-micro-");
        LogConfig config = ConfigLoader.load(Map.of(
                        "TALOS_LOG_DURABILITY",
                        durability.name().toLowerCase(Locale.ROOT),
                        "TALOS_LOG_SEGMENTBYTES",
                        SEGMENT_BYTES))
                .log();
        Ticker ticker = SystemTime.ticker();
        LogMetrics metrics = new LogMetrics(new Metrics(ticker));
        ExecutorService background = Executors.newSingleThreadExecutor(new NamedThreads("background"));
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(
                        new TailCache(config.tailCacheBytes()),
                        new DedupeMemory(config.dedupeBytes()),
                        new SegmentIndexes(16 << 20)),
                new PartitionLog.Pools(background, background, background),
                new SteadyClock(SystemTime.wallClock(), ticker),
                ticker,
                metrics,
                new SystemThreads());
        byte[] message = new byte[messageBytes];
        new SplittableRandom(1).nextBytes(message);
        JournaledSegmentStore store = LocalSegmentStore.open(folder, config, ticker, metrics::journalled);
        return new LogOnDisk(folder, config, store, background, parts, ByteBuffer.wrap(message));
    }

    private PartitionLog open() throws StorageException {
        return PartitionLog.open(ID, store, catalog, () -> SegmentOptions.DEFAULT, config, parts, () -> {});
    }

    /** The log as it is now. */
    PartitionLog log() {
        return log;
    }

    /** Closes and reopens the log: then nothing of it is in memory, and all segments are sealed. */
    void reopen() throws StorageException {
        log.close();
        catalog = new MemoryCatalog(catalog);
        log = open();
    }

    /** Appends puts together, and waits until they are durable. */
    long append(int count) {
        List<Put> batch = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), message.duplicate());
            batch.add(new Put("micro-" + puts++, Put.Origin.UNIQUE, List.of(block)));
        }
        long last = -1;
        for (PutTicket ticket : log.append(batch)) {
            last = ticket.firstOffset().join();
        }
        return last;
    }

    /** Deletes whatever is sealed, so that measuring for long does not fill the disk. */
    void shrink() {
        var unused = log.retain(new Retention(System.currentTimeMillis(), Long.MAX_VALUE, 1, false));
    }

    @Override
    public void close() {
        log.close();
        background.shutdown();
        store.close();
        Folders.delete(folder);
    }
}
