// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;
import org.talos.server.storage.journal.SegmentFiles;

/**
 * Segments as files of HDFS. Segments of other servers are taken over from their writers. A segment's index is written
 * last: its presence means that the segment's own files are complete, and no journal is needed any more.
 *
 * <p>Thread-safe. Do not interrupt threads that call it.
 */
final class HdfsSegmentFiles implements SegmentFiles {
    private static final Logger LOG = LoggerFactory.getLogger(HdfsSegmentFiles.class);
    private static final int MAX_KNOWN =
            100_000; // some 15 MB; the directory of another log is created again, which is cheap
    private static final int MAX_CHAINS = 20_000; // some 10 MB; others are listed again when they are read

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final ReadStreams streams;
    private final SessionReplays replays;
    private final AppendForm form;
    private final HdfsProbe probe;
    private final DeadSessions dead;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final int replication;
    private final Durability durability; // of topics that ask for no other
    private final long own;
    private final Cache<SegmentName, List<Part>> chains = Caffeine.newBuilder() // of segments that are whole
            .maximumSize(MAX_CHAINS)
            .executor(Runnable::run)
            .build();
    private final AtomicLong changes = new AtomicLong(); // of segments by this server, which older listings do not show
    /** Logs whose directory exists. Bounded, because other servers delete logs that this one has written. */
    private final Cache<LogId, Boolean> known =
            Caffeine.newBuilder().maximumSize(MAX_KNOWN).executor(Runnable::run).build();

    private HdfsSegmentFiles(
            SegmentFile.Maker maker,
            HdfsConfig config,
            Ticker ticker,
            HdfsListener listener,
            AppendForm form,
            long own) {
        hdfs = maker.hdfs();
        paths = maker.paths();
        streams = maker.streams();
        replication = maker.replication();
        durability = maker.durability();
        this.ticker = ticker;
        this.listener = listener;
        this.form = form;
        this.own = own;
        replays = new SessionReplays(hdfs, paths, replication, own, ticker, listener);
        dead = new DeadSessions(hdfs, paths, replays, form::isWriting, ticker);
        probe = new HdfsProbe(hdfs, paths.root(), config.timeout(), ticker);
    }

    /** Checks that the directory exists and its files can be flushed, and begins the journals. */
    static HdfsSegmentFiles open(
            Hdfs hdfs,
            HdfsConfig config,
            LogConfig logConfig,
            Ticker ticker,
            HdfsListener listener,
            SegmentCopier copier,
            Threads threads)
            throws IOException, StorageException {
        HdfsPaths paths = new HdfsPaths(hdfs.qualify(new Path(config.root())));
        SecureRandom ids = new SecureRandom();
        SegmentFile.Maker maker =
                new SegmentFile.Maker(hdfs, new ReadStreams(hdfs), paths, config.replication(), logConfig.durability());
        long fileBytes = Math.min(logConfig.journalFileBytes(), withinBlock(config.blockBytes()));
        Function<LaneFiles, Journal> journals = lane -> new Journal(
                lane, 1, fileBytes, ticker, listener, new Journal.Callbacks(copier::want, copier::release), threads);
        AppendForm form = listener.around(
                new Sessions(maker, config.journals(), ids, listener, journals, copier),
                (name, options) -> maker.make(name, 0, options));
        if (!hdfs.exists(paths.root())) {
            throw HdfsIdentity.missingRoot(paths.root());
        }
        hdfs.makeDirectory(paths.journals());
        hdfs.probe(new Path(paths.journals(), "probe-" + HdfsPaths.hex(Session.newId(ids))), config.replication());
        form.start();
        return new HdfsSegmentFiles(maker, config, ticker, listener, form, Session.newId(ids));
    }

    /**
     * Returns the size at which a journal's file is full, so that its last batch is in its first block too: all
     * partitions of the journal would wait for another block. The files do not get blocks of their own size: the
     * NameNode demands the same free space of a DataNode's disk for each future block, whatever its size.
     */
    static long withinBlock(long blockBytes) {
        return Math.max(blockBytes - 2 * Journal.MAX_BATCH_BYTES, blockBytes / 2);
    }

    @Override
    public List<Journal> journals() {
        return form.journals();
    }

    @Override
    public boolean appendsWait() {
        return form.appendsWait();
    }

    /**
     * Returns why HDFS does not answer, or cannot be used. Does not wait for it. Called every few seconds, which also
     * paces sweeps.
     */
    @Override
    public Optional<String> failure() {
        dead.sweepNowAndThen();
        form.endLeft();
        hdfs.syncAbandoned();
        return probe.failure();
    }

    @Override
    public OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing)
            throws StorageException {
        try {
            if (known.asMap().putIfAbsent(name.log(), true) == null) {
                hdfs.makeDirectory(paths.log(name.log()));
            }
            return form.create(name, options, sealing);
        } catch (FileAlreadyExistsException e) {
            throw StorageException.exists(name, e);
        } catch (IOException e) {
            known.invalidate(name.log());
            throw StorageException.unavailable("segment " + name + " cannot be made", Effect.UNKNOWN, e);
        }
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        try {
            Path first = paths.first(name);
            if (!hdfs.exists(first)) {
                throw notThere(name);
            }
            boolean whole = hdfs.exists(paths.index(name));
            if (whole) {
                hdfs.fence(first);
            } else {
                takeOver(first);
            }
            List<Part> chain = whole ? load(name) : Part.chain(name, fencedParts(name, first));
            changes.incrementAndGet();
            chains.put(name, chain);
            return Part.length(chain);
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be recovered", Effect.UNKNOWN, e);
        }
    }

    private static StorageException notThere(SegmentName name) {
        return new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " is missing", null);
    }

    /**
     * Fences the journals and the file in parallel, since each takes seconds. Their order does not matter, as the
     * length is read after both.
     */
    private void takeOver(Path first) throws IOException, StorageException {
        CompletableFuture<Void> replayed = replay(headerWhileOpen(first));
        hdfs.fenceAndSync(first);
        replays.await(replayed);
        replays.await(replay(header(first)));
    }

    /**
     * Fences all parts but the first, which is fenced, and returns all. Listing a long log takes long, so it is
     * repeated only for lengths that may have grown in between, which those of recovered parts never do.
     */
    private List<Part> fencedParts(SegmentName name, Path first) throws IOException, StorageException {
        List<FileStatus> files = present(name);
        boolean mayHaveGrown = false;
        for (FileStatus file : files) {
            Path path = file.getPath();
            if (HdfsPaths.isRecovered(path)) {
                hdfs.fence(path); // synced before it got its name
            } else if (!path.equals(first)) {
                hdfs.fenceAndSync(path);
                mayHaveGrown = true;
            }
        }
        return parts(mayHaveGrown ? present(name) : files);
    }

    private CompletableFuture<Void> replay(Optional<PartHeader> header) {
        long session = header.map(PartHeader::session).orElse(0L);
        return session == 0 || form.isWriting(session)
                ? CompletableFuture.completedFuture(null)
                : replays.replay(session);
    }

    /**
     * Returns the header, if it is readable: that of a file that is being written is, unless its DataNodes have gone.
     */
    private Optional<PartHeader> headerWhileOpen(Path first) throws StorageException {
        try {
            return header(first);
        } catch (IOException e) {
            LOG.debug("header read postponed until the file is closed path={}", first, e);
            return Optional.empty();
        }
    }

    private Optional<PartHeader> header(Path first) throws IOException, StorageException {
        return PartHeader.decode(hdfs.head(first, PartHeader.BYTES), first.toString());
    }

    private List<Path> files(SegmentName name) throws IOException {
        return statuses(name).stream().map(FileStatus::getPath).toList();
    }

    /** Returns the files of a segment without its index: at least one. */
    private List<FileStatus> present(SegmentName name) throws IOException, StorageException {
        List<FileStatus> files = statuses(name);
        if (files.isEmpty()) {
            throw notThere(name);
        }
        return files;
    }

    /** Returns the files of a segment but its index. */
    private List<FileStatus> statuses(SegmentName name) throws IOException {
        String beginning = HdfsPaths.beginning(name);
        return hdfs.list(paths.log(name.log())).stream()
                .filter(file -> file.getPath().getName().startsWith(beginning))
                .filter(file -> HdfsPaths.segment(name.log(), file.getPath()).isPresent())
                .toList();
    }

    private List<Part> load(SegmentName name) throws IOException, StorageException {
        return Part.chain(name, parts(present(name)));
    }

    private static List<Part> parts(List<FileStatus> files) {
        return files.stream()
                .flatMap(file -> Part.of(file.getPath(), file.getLen()).stream())
                .toList();
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        long begun = ticker.nanos();
        try {
            List<Part> chain = chains.getIfPresent(name);
            if (chain == null) {
                long before = changes.get();
                chain = load(name);
                keep(name, chain, before);
            }
            int bytes = Part.read(chain, streams, position, target, Long.MAX_VALUE);
            listener.bytesRead(bytes, ticker.nanos() - begun);
            return bytes;
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be read", Effect.NONE, e);
        }
    }

    /** Keeps the listing, unless a segment may have been recovered or cut in the meantime. */
    private void keep(SegmentName name, List<Part> listed, long before) {
        chains.asMap().compute(name, (same, kept) -> kept != null || changes.get() != before ? kept : listed);
    }

    /** Returns whether its durability is flush, since it is unknown whether the DataNodes have been up since. */
    @Override
    public boolean mayLackItsEnd(SegmentName name, SegmentOptions options) {
        return options.durability().orElse(durability) == Durability.FLUSH;
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        try {
            for (FileStatus file : statuses(name)) {
                Path path = file.getPath();
                long from = HdfsPaths.position(path);
                streams.forget(path);
                if (from >= length && !path.equals(paths.first(name))) {
                    hdfs.delete(path);
                } else {
                    hdfs.truncate(path, PartHeader.BYTES + length - from);
                }
            }
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be cut", Effect.UNKNOWN, e);
        } finally {
            changes.incrementAndGet();
            chains.invalidate(name);
        }
    }

    @Override
    public Map<SegmentName, Long> lengths(LogId log) throws StorageException {
        try {
            Map<SegmentName, List<Part>> found = new HashMap<>();
            Set<SegmentName> whole = new HashSet<>();
            for (FileStatus file : HdfsPaths.listNamed(hdfs, paths.log(log))) {
                Path path = file.getPath();
                HdfsPaths.indexed(log, path).ifPresent(whole::add);
                HdfsPaths.segment(log, path).ifPresent(name -> {
                    List<Part> parts = found.computeIfAbsent(name, each -> new ArrayList<>());
                    Part.of(path, file.getLen()).ifPresent(parts::add);
                });
            }
            Map<SegmentName, Long> lengths = new HashMap<>();
            found.forEach((name, parts) -> {
                List<Part> chain = Part.withoutGap(parts);
                lengths.put(name, Part.length(chain));
                if (whole.contains(name)) {
                    chains.put(name, chain); // its files will not change
                }
            });
            return lengths;
        } catch (IOException e) {
            throw StorageException.unavailable("log " + log + " cannot be listed", Effect.NONE, e);
        }
    }

    /** Deletes the first file last: while it exists the segment is listed, and may be deleted again. */
    @Override
    public void delete(SegmentName name) throws StorageException {
        try {
            chains.invalidate(name);
            hdfs.delete(paths.index(name));
            for (Path file : files(name)) {
                streams.forget(file);
                if (!file.equals(paths.first(name))) {
                    hdfs.delete(file);
                }
            }
            hdfs.delete(paths.first(name));
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        known.invalidate(log);
        try {
            for (FileStatus file : hdfs.list(paths.log(log))) {
                streams.forget(file.getPath());
                HdfsPaths.segment(log, file.getPath()).ifPresent(chains::invalidate);
            }
            hdfs.delete(paths.log(log));
        } catch (IOException e) {
            throw StorageException.unavailable("log " + log + " cannot be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        Path path = paths.index(name);
        try {
            hdfs.replace(path, HdfsPaths.beside(path, own), replication, index);
        } catch (IOException e) {
            throw StorageException.unavailable("index of " + name + " cannot be kept", Effect.UNKNOWN, e);
        }
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        try {
            return hdfs.load(paths.index(name));
        } catch (IOException e) {
            throw StorageException.unavailable("index of " + name + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public void stop() {
        form.stop();
    }

    @Override
    public void close(boolean whole) {
        if (whole) {
            form.deleteJournals();
        }
        streams.close();
        hdfs.close();
    }
}
