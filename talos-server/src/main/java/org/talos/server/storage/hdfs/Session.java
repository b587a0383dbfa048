// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.runtime.FirstLine;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.hdfs.client.WrittenFile;
import org.talos.server.storage.journal.Journal;

/**
 * A server's journals, from their beginning until it stops or another server takes them: a directory in HDFS with a
 * unique name. After the directory was renamed, its owner cannot create further files in it. Taking the leases of the
 * existing files then ends all writes.
 *
 * <p>Thread-safe.
 */
final class Session {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private final long id;
    private final Path directory;
    private final List<LaneFiles> files;
    private final Map<Durability, List<Journal>> lanes;
    private final List<Journal> journals;
    private final Set<SegmentName> segments = new HashSet<>();
    private final Runnable endOwner;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean foundFenced;

    private Session(
            long id, Path directory, List<LaneFiles> files, Map<Durability, List<Journal>> lanes, Runnable endOwner) {
        this.endOwner = endOwner;
        this.id = id;
        this.directory = directory;
        this.files = files;
        this.lanes = lanes;
        journals = lanes.values().stream().flatMap(List::stream).toList();
    }

    /** Returns a number that no other session and no other process has; never 0. */
    static long newId(SecureRandom random) {
        long id = random.nextLong();
        return id == 0 ? 1 : id;
    }

    /**
     * Creates a session with a journal for each lane, which are started. A file in it stays open as long as it lives.
     */
    static Session begin(
            Hdfs hdfs,
            long id,
            Path directory,
            Map<Durability, List<LaneFiles>> files,
            int replication,
            Function<LaneFiles, Journal> journalMaker)
            throws IOException {
        hdfs.makeDirectory(directory);
        Path owner = HdfsPaths.owner(directory);
        WrittenFile open = hdfs.create(owner, replication); // without a byte: only the NameNode knows it
        Map<Durability, List<Journal>> journals = new EnumMap<>(Durability.class);
        boolean begun = false;
        try {
            files.forEach((durability, each) ->
                    journals.put(durability, each.stream().map(journalMaker).toList()));
            journals.values().forEach(each -> each.forEach(Journal::start));
            begun = true;
        } finally {
            if (!begun) { // there may be no thread for another journal
                journals.values().forEach(each -> each.forEach(Journal::close));
                undo(hdfs, directory, open);
            }
        }
        return new Session(
                id,
                directory,
                files.values().stream().flatMap(List::stream).toList(),
                journals,
                () -> hdfs.abandon(open, owner));
    }

    private static void undo(Hdfs hdfs, Path directory, WrittenFile owner) {
        try {
            owner.close();
            hdfs.delete(directory);
        } catch (IOException | RuntimeException e) {
            LOG.info("directory of an unstarted session not deleted path={} cause={}", directory, FirstLine.of(e));
        }
    }

    long id() {
        return id;
    }

    Path directory() {
        return directory;
    }

    List<Journal> journals() {
        return journals;
    }

    /** Returns the segments that may be in its journals, from before they are created. Guarded by {@link Sessions}. */
    Set<SegmentName> segments() {
        return segments;
    }

    /**
     * Returns the journal of a log, with its required durability: always the same, so that its appends stay in order.
     */
    Journal lane(LogId log, Durability durability) {
        List<Journal> some = Objects.requireNonNull(lanes.get(durability));
        return some.get(Math.floorMod(log.hashCode(), some.size()));
    }

    /** Returns whether another server has taken it over, as far as this one has noticed. */
    boolean isFenced() {
        return foundFenced || journals.stream().anyMatch(Journal::isFenced);
    }

    /** Another server has taken it over, which journals without appends do not notice. */
    void foundFenced() {
        foundFenced = true;
    }

    /** Returns why one of its journals accepts no more appends, if that is so. */
    Optional<String> failure() {
        if (foundFenced) {
            return Optional.of("another server has taken it over");
        }
        return journals.stream().map(Journal::failure).flatMap(Optional::stream).findFirst();
    }

    /** Writes the queued items, and ends. May be called twice. */
    void close() {
        journals.forEach(Journal::close);
        files.forEach(LaneFiles::close);
        if (!closed.getAndSet(true)) {
            endOwner.run();
        }
    }
}
