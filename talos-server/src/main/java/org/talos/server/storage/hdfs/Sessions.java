// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournaledOpenSegment;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;

/**
 * The sessions of this server: one takes new segments, and is followed by another when it loses a journal; earlier ones
 * stay as long as segments stand in their journals.
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
    private final Collection<OpenSegment> open;

    @GuardedBy("this")
    private final List<Session> sessions = new ArrayList<>(); // the last one takes new segments

    /**
     * Begins no session before {@link #start}.
     *
     * @param journalsOfLevel journals of a session for each durability
     * @param journalMaker makes the journal of a lane
     * @param open the segments that this server writes at any time
     */
    Sessions(
            Hdfs hdfs,
            HdfsPaths paths,
            SegmentFile.Maker files,
            int journalsOfLevel,
            SecureRandom ids,
            HdfsListener listener,
            Function<LaneFiles, Journal> journalMaker,
            SegmentCopier copier,
            Collection<OpenSegment> open) {
        this.hdfs = hdfs;
        this.paths = paths;
        this.files = files;
        this.journalsOfLevel = journalsOfLevel;
        this.ids = ids;
        this.listener = listener;
        this.journalMaker = journalMaker;
        this.copier = copier;
        this.open = open;
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
        return Session.begin(hdfs, id, directory, lanes, journalMaker);
    }

    /** The session that takes new segments: another one, if the last has lost a journal. */
    private synchronized Session current() throws IOException {
        Session last = sessions.get(sessions.size() - 1);
        Optional<String> failure = last.failure();
        if (failure.isEmpty()) {
            return last;
        }
        LOG.warn("session failed, another follows session={} reason={}", HdfsPaths.hex(last.id()), failure.get());
        Session next = begin();
        sessions.add(next);
        return next;
    }

    @Override
    public OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing)
            throws IOException {
        Session session = current();
        JournaledSegment segment = new JournaledSegment(name, files.make(name, session.id(), options));
        Journal journal = session.lane(name.log(), files.durability(options));
        return new JournaledOpenSegment(segment, journal, copier, sealing, new Ending(session));
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
            copier.copy(segment);
            segment.close();
        }

        @Override
        public void close(JournaledSegment segment) {
            dropIfUnused(session);
        }
    }

    /** Ends a session that has failed, but was not fenced, once no segment stands in its journals any more. */
    private void dropIfUnused(Session session) {
        boolean unused = open.stream().flatMap(each -> each.journal().stream()).noneMatch(session.journals()::contains);
        synchronized (this) {
            if (!unused || sessions.indexOf(session) == sessions.size() - 1 || !sessions.remove(session)) {
                return;
            }
        }
        hdfs.closeLater(() -> end(session));
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
        return List.copyOf(sessions);
    }

    @Override
    public void stop() {
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
            LOG.warn("session left behind; nothing of it is needed session={}", HdfsPaths.hex(session.id()), e);
        }
    }
}
