// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.StorageException;

/**
 * Removes the sessions of dead servers that no takeover needs: all their segments are whole. They are replayed like any
 * other session, which adds nothing and deletes them.
 *
 * <p>Only the NameNode says that a server is dead. It closes the files of a client that is silent for longer than its
 * hard limit, 20 minutes. A living session has a file that is always open.
 *
 * <p>Thread-safe.
 */
final class DeadSessions {
    private static final Logger LOG = LoggerFactory.getLogger(DeadSessions.class);
    private static final Duration PACE = Duration.ofHours(1);

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final SessionReplays replays;
    private final LongPredicate isOwn;
    private final Ticker ticker;
    private final AtomicLong sweptNanos;

    /** @param isOwn whether this server writes a session */
    DeadSessions(Hdfs hdfs, HdfsPaths paths, SessionReplays replays, LongPredicate isOwn, Ticker ticker) {
        this.hdfs = hdfs;
        this.paths = paths;
        this.replays = replays;
        this.isOwn = isOwn;
        this.ticker = ticker;
        sweptNanos = new AtomicLong(ticker.nanos());
    }

    /** Sweeps on another thread, if the last sweep was an hour ago. Does not block. */
    void sweepNowAndThen() {
        long last = sweptNanos.get();
        long now = ticker.nanos();
        if (now - last >= PACE.toNanos() && sweptNanos.compareAndSet(last, now)) {
            hdfs.closeLater(this::sweep);
        }
    }

    /** Removes sessions without an owner. */
    void sweep() throws IOException {
        for (FileStatus each : hdfs.list(paths.journals())) {
            Path directory = each.getPath();
            OptionalLong session = HdfsPaths.session(directory);
            if (session.isPresent() && !isOwn.test(session.getAsLong()) && hasNoOwner(directory)) {
                remove(session.getAsLong());
            }
        }
    }

    /**
     * A fenced session whose replay ended halfway has none, nor has a session of an older version with closed files
     * only.
     */
    private boolean hasNoOwner(Path directory) throws IOException {
        if (HdfsPaths.isFenced(directory)) {
            return true;
        }
        try {
            return hdfs.isClosed(HdfsPaths.owner(directory));
        } catch (FileNotFoundException e) {
            List<FileStatus> journals = hdfs.list(directory);
            for (FileStatus journal : journals) {
                if (!isClosed(journal.getPath())) {
                    return false;
                }
            }
            return !journals.isEmpty();
        }
    }

    private boolean isClosed(Path file) throws IOException {
        try {
            return hdfs.isClosed(file);
        } catch (FileNotFoundException e) {
            return false; // its owner has just deleted it
        }
    }

    private void remove(long session) {
        try {
            replays.await(replays.replay(session));
            LOG.info("session of a dead server removed session={}", HdfsPaths.hex(session));
        } catch (StorageException e) {
            LOG.warn("session of a dead server not removed session={}", HdfsPaths.hex(session), e);
        }
    }
}
