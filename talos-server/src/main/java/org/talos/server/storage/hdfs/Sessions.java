// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.runtime.FirstLine;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournalFencedException;
import org.talos.server.storage.journal.JournaledOpenSegment;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;

/**
 * The sessions of this server. One of them accepts new segments, and is followed by another when it loses a journal.
 * Earlier sessions stay as long as their journals have segments.
 *
 * <p>Thread-safe.
 */
final class Sessions implements AppendForm {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final SegmentFile.Maker files;
    private final int journalsOfLevel;
    private final SecureRandom ids;
    private final HdfsListener listener;
    private final Function<LaneFiles, Journal> journalMaker;
    private final SegmentCopier copier;

    @GuardedBy("this")
    private final List<Session> sessions = new ArrayList<>(); // the last one takes new segments

    @GuardedBy("this")
    private final List<Session> left = new ArrayList<>(); // without segments, and not ended yet

    @GuardedBy("this")
    private boolean stopped;

    private final Object beginning = new Object(); // one at a time begins a session

    /**
     * Creates the set, which begins no session before {@link #start}.
     *
     * @param journalsOfLevel journals of a session for each durability
     * @param journalMaker makes the journal of a lane
     */
    Sessions(
            SegmentFile.Maker files,
            int journalsOfLevel,
            SecureRandom ids,
            HdfsListener listener,
            Function<LaneFiles, Journal> journalMaker,
            SegmentCopier copier) {
        hdfs = files.hdfs();
        paths = files.paths();
        this.files = files;
        this.journalsOfLevel = journalsOfLevel;
        this.ids = ids;
        this.listener = listener;
        this.journalMaker = journalMaker;
        this.copier = copier;
    }

    @Override
    public synchronized void start() throws IOException {
        sessions.add(begin());
    }

    private Session begin() throws IOException {
        long id = Session.newId(ids);
        Path directory = paths.session(id);
        Map<Durability, List<LaneFiles>> lanes = new EnumMap<>(Durability.class);
        int number = 0;
        for (Durability durability : Durability.values()) {
            List<LaneFiles> lanesOfLevel = new ArrayList<>();
            for (int i = 0; i < journalsOfLevel; i++) {
                lanesOfLevel.add(new LaneFiles(hdfs, directory, number++, files.replication(), durability));
            }
            lanes.put(durability, lanesOfLevel);
        }
        LOG.info("session begun session={}", HdfsPaths.hex(id));
        listener.sessionBegun();
        return Session.begin(hdfs, id, directory, lanes, files.replication(), journalMaker);
    }

    /**
     * Returns the session for a new segment: another one, if the last has lost a journal. It does not end before the
     * segment has left it.
     */
    private Session enter(SegmentName name) throws IOException {
        while (true) {
            Session last;
            synchronized (this) {
                last = last();
                if (last.failure().isEmpty()) {
                    last.segments().add(name);
                    return last;
                }
            }
            follow(last);
        }
    }

    @GuardedBy("this")
    private Session last() {
        return sessions.get(sessions.size() - 1);
    }

    /** Begins a session in place of one that failed. Only callers that need the session wait for the NameNode. */
    private void follow(Session failed) throws IOException {
        synchronized (beginning) {
            synchronized (this) {
                if (last() != failed) {
                    return;
                }
            }
            LOG.warn(
                    "session failed, another follows session={} reason={}",
                    HdfsPaths.hex(failed.id()),
                    failed.failure().orElse(""));
            Session next = begin();
            synchronized (this) {
                if (!stopped) {
                    sessions.add(next);
                    return;
                }
            }
            end(next);
            throw new IOException("the store is closed");
        }
    }

    /** Ends a session that accepts no new segments, once it has lost its last one. */
    private void leave(Session session, SegmentName name) {
        synchronized (this) {
            session.segments().remove(name);
            boolean takesNew = sessions.indexOf(session) == sessions.size() - 1;
            if (!takesNew && session.segments().isEmpty() && sessions.remove(session)) {
                left.add(session);
            }
        }
        endLeft();
    }

    @Override
    public void endLeft() {
        List<Session> due;
        synchronized (this) {
            due = List.copyOf(left);
            left.clear();
        }
        for (Session each : due) {
            if (!hdfs.closeLater(() -> endOrKeep(each))) {
                keep(each);
            }
        }
    }

    private void endOrKeep(Session session) {
        boolean ended = false;
        try {
            end(session);
            ended = true;
        } catch (IOException e) {
            LOG.info("session end failed, will retry session={} cause={}", session.id(), FirstLine.of(e));
        } finally {
            if (!ended) {
                keep(session);
            }
        }
    }

    /**
     * Schedules the session for a later end. Otherwise its threads and its open file would stay until the process
     * exits.
     */
    private synchronized void keep(Session session) {
        left.add(session);
    }

    @Override
    public OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing)
            throws IOException {
        Session session = enter(name);
        boolean made = false;
        try {
            JournaledSegment segment = new JournaledSegment(name, files.make(name, session.id(), options));
            Durability durability = files.durability(options);
            Journal journal = session.lane(name.log(), durability);
            made = true;
            return new JournaledOpenSegment(
                    segment, journal, copier, sealing, new Ending(session), durability == Durability.FSYNC);
        } finally {
            if (!made) {
                leave(session, name);
            }
        }
    }

    /** Closes the segment's file, and the session with its last segment. Thread-safe. */
    private final class Ending implements JournaledOpenSegment.Ending {
        private final Session session;

        Ending(Session session) {
            this.session = session;
        }

        @Override
        public boolean isLost() {
            return session.isFenced();
        }

        @Override
        public void finish(JournaledSegment segment) throws IOException {
            try {
                copier.copy(segment);
            } catch (JournalFencedException e) {
                session.foundFenced(); // from now on the segment is lost, and is recovered as any other server would
                throw e;
            }
            segment.syncToDisk(); // where appends are not: anything behind the segment may be
            segment.close();
        }

        @Override
        public void close(JournaledSegment segment) {
            leave(session, segment.name());
        }

        @Override
        public void dropped(JournaledSegment segment) {
            leave(session, segment.name());
        }
    }

    private void end(Session session) throws IOException {
        session.close();
        hdfs.delete(session.directory());
    }

    @Override
    public synchronized boolean isWriting(long session) {
        return sessions.stream().anyMatch(each -> each.id() == session && !each.isFenced());
    }

    @Override
    public synchronized List<Journal> journals() {
        return sessions.stream()
                .filter(each -> !each.isFenced())
                .flatMap(each -> each.journals().stream())
                .toList();
    }

    private synchronized List<Session> all() {
        return Stream.concat(sessions.stream(), left.stream()).toList();
    }

    @Override
    public void stop() {
        synchronized (this) {
            stopped = true;
        }
        all().forEach(Session::close);
    }

    @Override
    public void deleteJournals() {
        for (Session session : all()) {
            if (!session.isFenced()) {
                deleteQuietly(session);
            }
        }
    }

    private void deleteQuietly(Session session) {
        try {
            hdfs.delete(session.directory());
        } catch (IOException e) {
            LOG.warn(
                    "session directory not deleted, its contents are not needed session={}",
                    HdfsPaths.hex(session.id()),
                    e);
        }
    }
}
