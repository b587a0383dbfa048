// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.HdfsConfig.JournalForm;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.SegmentCopier;

/**
 * Segments as files of HDFS. An append is acknowledged from one of a few journals that all segments share, and copied
 * into its segment later; or, in the simple form, from the segment's own file. Acknowledged is what all replicas have:
 * in memory with {@link Durability#FLUSH}, on the disk with {@link Durability#FSYNC}.
 *
 * <p>Many servers may use one directory. What keeps them apart is that a segment belongs to one epoch of one owner, and
 * that {@link #recover} takes the segment's file and the journals behind it away from that owner.
 *
 * <p>Thread-safe. Threads that call it must not be interrupted while they do.
 */
public final class HdfsSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(HdfsSegmentStore.class);
    private static final int NAME_LOCKS = 64;
    /** A copy is a write and then waiting for its flush: with one at a time, segments grow slower than puts come. */
    private static final int COPIES_AT_ONCE = 16;

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final HdfsConfig config;
    private final LogConfig logConfig;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final ReadStreams streams;
    private final SegmentFiles files;
    private final SegmentCopier copier;
    private final HdfsProbe probe;
    private final SecureRandom random = new SecureRandom();
    private final Map<SegmentName, OpenSegment> writing = new ConcurrentHashMap<>();
    private final Set<LogId> known = ConcurrentHashMap.newKeySet(); // logs whose directory is there
    private final Object[] nameLocks = new Object[NAME_LOCKS]; // nobody else makes, finds missing or deletes the name

    @GuardedBy("sessions")
    private final List<Session> sessions = new ArrayList<>(); // the last one takes new segments

    private volatile boolean closed;

    private HdfsSegmentStore(
            Hdfs hdfs, HdfsPaths paths, HdfsConfig config, LogConfig logConfig, Ticker ticker, HdfsListener listener) {
        this.hdfs = hdfs;
        this.paths = paths;
        this.config = config;
        this.logConfig = logConfig;
        this.ticker = ticker;
        this.listener = listener;
        Arrays.setAll(nameLocks, i -> new Object());
        long own = newSession();
        streams = new ReadStreams(hdfs);
        probe = new HdfsProbe(hdfs, paths.root(), config.timeout(), ticker);
        files = new SegmentFiles(
                hdfs,
                paths,
                streams,
                new SessionReplays(hdfs, paths, config.replication(), own, ticker, listener),
                this::isLiving,
                config.replication(),
                own);
        copier = new SegmentCopier(
                logConfig.maxUnwrittenBytes(),
                SegmentCopier.MAX_WAIT_MILLIS,
                COPIES_AT_ONCE,
                this::journaled,
                this::letGo);
    }

    /**
     * Opens the store in the configured directory, which is made if it is not there.
     *
     * @param hadoop as the cluster's files have it
     * @throws StorageException UNAVAILABLE: can't be reached, or its files can't be flushed
     */
    public static HdfsSegmentStore open(
            HdfsConfig config, LogConfig logConfig, Configuration hadoop, Ticker ticker, HdfsListener listener)
            throws StorageException {
        try {
            Path root = new Path(config.root());
            Hdfs hdfs = Hdfs.connect(root, hadoop, config.blockBytes(), config.timeout(), ticker, listener);
            try {
                HdfsPaths paths = new HdfsPaths(hdfs.qualify(root));
                HdfsSegmentStore store = new HdfsSegmentStore(hdfs, paths, config, logConfig, ticker, listener);
                store.start();
                return store;
            } catch (IOException | RuntimeException e) {
                hdfs.close();
                throw e;
            }
        } catch (IOException e) {
            throw SegmentFiles.unavailable("directory " + config.root() + " can't be opened", Effect.NONE, e);
        }
    }

    private void start() throws IOException {
        hdfs.makeDirectory(paths.journals());
        hdfs.probe(new Path(paths.journals(), "probe-" + HdfsPaths.hex(newSession())), config.replication());
        if (config.form() == JournalForm.JOURNAL) {
            synchronized (sessions) {
                sessions.add(begin());
            }
        }
        copier.start(this::journals);
    }

    private long newSession() {
        long id = random.nextLong();
        return id == 0 ? 1 : id;
    }

    private Session begin() throws IOException {
        long id = newSession();
        Path directory = paths.session(id);
        Map<Durability, List<LaneFiles>> lanes = new EnumMap<>(Durability.class);
        int number = 0;
        for (Durability durability : Durability.values()) {
            List<LaneFiles> files = new ArrayList<>();
            for (int i = 0; i < config.journals(); i++) {
                files.add(new LaneFiles(hdfs, directory, number++, config.replication(), durability));
            }
            lanes.put(durability, files);
        }
        LOG.info("session begun session={}", HdfsPaths.hex(id));
        listener.sessionBegun();
        return Session.begin(
                hdfs,
                id,
                directory,
                lanes,
                each -> new Journal(
                        each, 1, logConfig.journalFileBytes(), ticker, listener, copier::want, copier::release));
    }

    /** The session that takes new segments: another one, if the last has lost a journal. */
    private Session session() throws IOException {
        synchronized (sessions) {
            Session last = sessions.get(sessions.size() - 1);
            Optional<String> failure = last.failure();
            if (failure.isEmpty()) {
                return last;
            }
            LOG.warn("session given up session={} reason={}", HdfsPaths.hex(last.id()), failure.get());
            Session next = begin();
            sessions.add(next);
            return next;
        }
    }

    private boolean isLiving(long session) {
        synchronized (sessions) {
            return sessions.stream().anyMatch(each -> each.id() == session && !each.isFenced());
        }
    }

    private List<Journal> journals() {
        synchronized (sessions) {
            return sessions.stream()
                    .filter(each -> !each.isFenced())
                    .flatMap(each -> each.journals().stream())
                    .toList();
        }
    }

    private Collection<JournaledSegment> journaled() {
        List<JournaledSegment> all = new ArrayList<>();
        for (OpenSegment each : writing.values()) {
            if (each instanceof JournaledOpenSegment journaled && !journaled.isLost()) {
                all.add(journaled.segment());
            }
        }
        return all;
    }

    /** Bytes that are not in their segments yet. */
    public long unwrittenBytes() {
        return copier.unwrittenBytes();
    }

    /** Why nothing can be appended now, if so. Does not wait for HDFS. */
    public Optional<String> failure() {
        return probe.failure();
    }

    @Override
    public SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        refuseIfClosed();
        try {
            synchronized (lockOf(name)) {
                if (known.add(name.log())) {
                    hdfs.makeDirectory(paths.log(name.log()));
                }
                OpenSegment segment =
                        config.form() == JournalForm.JOURNAL ? journal(name, options) : pipeline(name, options);
                writing.put(name, segment);
                return segment.writer();
            }
        } catch (FileAlreadyExistsException e) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " is there already", e);
        } catch (IOException e) {
            known.remove(name.log());
            throw SegmentFiles.unavailable("segment " + name + " can't be made", Effect.UNKNOWN, e);
        }
    }

    private OpenSegment journal(SegmentName name, SegmentOptions options) throws IOException {
        Session session = session();
        JournaledSegment segment = new JournaledSegment(name, file(name, session.id(), options));
        Journal journal = session.lane(name.log(), durability(options));
        return new JournaledOpenSegment(segment, session, journal, copier, each -> seal(name));
    }

    private OpenSegment pipeline(SegmentName name, SegmentOptions options) throws IOException {
        return new PipelineSegment(name, file(name, 0, options), new Simple());
    }

    private Durability durability(SegmentOptions options) {
        return options.durability().orElse(logConfig.durability());
    }

    /** What segments of the simple form need of the store. */
    private final class Simple implements PipelineSegment.Store {
        @Override
        public void refuseIfClosed() throws StorageException {
            HdfsSegmentStore.this.refuseIfClosed();
        }

        @Override
        public long settle(SegmentName name) throws StorageException {
            return seal(name);
        }
    }

    private SegmentFile file(SegmentName name, long session, SegmentOptions options) throws IOException {
        int replication = options.replication() == 0 ? config.replication() : options.replication();
        return SegmentFile.create(hdfs, streams, paths, name, session, replication, durability(options));
    }

    private Object lockOf(SegmentName name) {
        return nameLocks[Math.floorMod(name.hashCode(), NAME_LOCKS)];
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        refuseIfClosed();
        OpenSegment segment = writing.get(name);
        int start = target.position();
        try {
            if (segment != null) {
                return segment.read(position, target);
            }
        } catch (IOException e) {
            if (writing.get(name) == segment) {
                throw SegmentFiles.unavailable("segment " + name + " can't be read", Effect.NONE, e);
            }
            LOG.debug("segment {} sealed while it was read", name, e);
            target.position(start);
        }
        long begun = ticker.nanos();
        int bytes = files.read(name, position, target);
        listener.bytesRead(bytes, ticker.nanos() - begun);
        return bytes;
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        refuseIfClosed();
        OpenSegment segment;
        synchronized (lockOf(name)) {
            segment = writing.get(name);
            if (segment == null) {
                return files.recover(name);
            }
        }
        segment.fence();
        return settle(name, segment);
    }

    private long seal(SegmentName name) throws StorageException {
        refuseIfClosed();
        OpenSegment segment = writing.get(name);
        return segment == null ? files.recover(name) : settle(name, segment);
    }

    /**
     * Waits for what is under way and brings everything into closed files: from memory, or, if another server has
     * fenced the journals, as every other server would.
     */
    private long settle(SegmentName name, OpenSegment segment) throws StorageException {
        try {
            segment.awaitSettled();
            if (segment.isLost()) {
                segment.drop();
                writing.remove(name, segment);
                return files.recover(name);
            }
            long length = segment.finish();
            writing.remove(name, segment);
            dropIfUnused(segment);
            return length;
        } catch (IOException e) {
            throw SegmentFiles.unavailable("segment " + name + " can't be written out", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SegmentFiles.unavailable("interrupted", Effect.UNKNOWN, e);
        }
    }

    /** A session that was given up, but not fenced, goes with the last segment that stands in its journals. */
    private void dropIfUnused(OpenSegment segment) {
        if (segment instanceof JournaledOpenSegment journaled) {
            Session session = journaled.session();
            boolean unused = writing.values().stream()
                    .noneMatch(each -> each instanceof JournaledOpenSegment other && other.session() == session);
            synchronized (sessions) {
                if (!unused || sessions.indexOf(session) == sessions.size() - 1 || !sessions.remove(session)) {
                    return;
                }
            }
            hdfs.inBackground(() -> end(session));
        }
    }

    private void end(Session session) throws IOException {
        session.close();
        hdfs.delete(session.directory());
    }

    /** Settles a segment whose writer has gone; if that fails it waits to be recovered. */
    private void letGo(JournaledSegment segment) {
        OpenSegment open = writing.get(segment.name());
        try {
            if (open != null) {
                settle(segment.name(), open);
            }
        } catch (StorageException e) {
            LOG.warn("segment not settled segment={}", segment.name(), e);
        }
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        refuseIfClosed();
        files.truncate(name, length);
    }

    @Override
    public List<SegmentName> list(LogId log) throws StorageException {
        refuseIfClosed();
        return files.list(log);
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        refuseIfClosed();
        try {
            synchronized (lockOf(name)) {
                OpenSegment segment = writing.get(name);
                if (segment != null) {
                    segment.fence();
                    segment.awaitSettled();
                    segment.drop();
                    writing.remove(name, segment);
                }
                files.delete(name);
            }
        } catch (IOException e) {
            throw SegmentFiles.unavailable("segment " + name + " can't be deleted", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SegmentFiles.unavailable("interrupted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        refuseIfClosed();
        for (SegmentName name : files.list(log)) {
            delete(name);
        }
        known.remove(log);
        files.deleteLog(log);
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        refuseIfClosed();
        files.saveIndex(name, index);
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        refuseIfClosed();
        return files.loadIndex(name);
    }

    @Override
    public void close() {
        List<Session> all;
        synchronized (sessions) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(sessions);
        }
        all.forEach(Session::close);
        copier.close();
        boolean whole = settleAll();
        for (Session session : all) {
            if (whole && !session.isFenced()) {
                deleteQuietly(session);
            }
        }
        streams.close();
        hdfs.close();
    }

    /** Whether everything that is acknowledged stands in closed files. */
    private boolean settleAll() {
        boolean whole = true;
        for (Map.Entry<SegmentName, OpenSegment> each : List.copyOf(writing.entrySet())) {
            each.getValue().fence();
            try {
                settle(each.getKey(), each.getValue());
            } catch (StorageException e) {
                whole = false;
                LOG.error("segment not written out; its journal is kept segment={}", each.getKey(), e);
            }
        }
        return whole;
    }

    private void deleteQuietly(Session session) {
        try {
            hdfs.delete(session.directory());
        } catch (IOException e) {
            LOG.warn("session left behind; nothing of it is needed session={}", HdfsPaths.hex(session.id()), e);
        }
    }

    private void refuseIfClosed() throws StorageException {
        if (closed) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
        }
    }
}
