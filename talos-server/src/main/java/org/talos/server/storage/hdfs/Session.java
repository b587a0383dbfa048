// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.talos.server.storage.LogId;
import org.talos.server.storage.journal.Journal;

/**
 * A server's journals, from their beginning until it stops or another server takes them: a directory in HDFS whose name
 * no other session has. Giving the directory another name keeps its owner from making further files in it; taking the
 * leases of those that are there then ends the rest.
 *
 * <p>Thread-safe.
 */
final class Session {
    private final long id;
    private final Path directory;
    private final List<LaneFiles> files;
    private final List<Journal> lanes;

    private Session(long id, Path directory, List<LaneFiles> files, List<Journal> lanes) {
        this.id = id;
        this.directory = directory;
        this.files = files;
        this.lanes = lanes;
    }

    /** Makes the journal of a lane. */
    @FunctionalInterface
    interface Lanes {
        Journal journal(LaneFiles files);
    }

    /** A new session with so many journals, all under way. */
    static Session begin(Hdfs hdfs, long id, Path directory, List<LaneFiles> files, Lanes lanes) throws IOException {
        hdfs.makeDirectory(directory);
        List<Journal> journals = new ArrayList<>();
        for (LaneFiles each : files) {
            Journal journal = lanes.journal(each);
            journal.start();
            journals.add(journal);
        }
        return new Session(id, directory, files, List.copyOf(journals));
    }

    long id() {
        return id;
    }

    Path directory() {
        return directory;
    }

    List<Journal> journals() {
        return lanes;
    }

    /** The journal of a log: always the same, so that its appends stay in order. */
    Journal lane(LogId log) {
        return lanes.get(Math.floorMod(log.hashCode(), lanes.size()));
    }

    /** Whether another server has taken it over. */
    boolean isFenced() {
        return lanes.stream().anyMatch(Journal::isFenced);
    }

    /** Why one of its journals takes nothing any more, if so. */
    Optional<String> failure() {
        return lanes.stream().map(Journal::failure).flatMap(Optional::stream).findFirst();
    }

    /** Writes what is queued, and ends. May be called twice. */
    void close() {
        lanes.forEach(Journal::close);
        files.forEach(LaneFiles::close);
    }
}
