// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.time.Ticker;

/**
 * Decides which of the servers that need a session replays it, so that the NameNode is asked only once. The claim is a
 * file in the session's directory, which one server creates and then touches every second. A waiting server that sees
 * it untouched for some seconds considers its creator dead, and takes over.
 *
 * <p>A claim only saves work, and is never considered exclusive: two servers that both replay do no harm.
 *
 * <p>Confined: the thread that replays.
 */
final class ReplayClaim {
    private static final Logger LOG = LoggerFactory.getLogger(ReplayClaim.class);
    private static final Duration RENEWAL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(6);

    private final Hdfs hdfs;
    private final Path file;
    private final int replication;
    private final Ticker ticker;
    private long touches;
    private long touchedNanos;

    /** Creates a claim on a session that was fenced. */
    ReplayClaim(Hdfs hdfs, Path fenced, int replication, Ticker ticker) {
        this.hdfs = hdfs;
        file = HdfsPaths.replayer(fenced);
        this.replication = replication;
        this.ticker = ticker;
    }

    /** Waits for this server's turn to replay the session; returns false if it was replayed and is gone. */
    boolean take() throws IOException {
        OptionalLong seen = OptionalLong.empty();
        long since = ticker.nanos();
        while (true) {
            OptionalLong touched = hdfs.touched(file);
            if (touched.isEmpty()) {
                try {
                    hdfs.create(file, replication).close();
                    touchedNanos = ticker.nanos();
                    return true;
                } catch (FileAlreadyExistsException e) {
                    LOG.debug("another server replays path={}", file, e);
                } catch (FileNotFoundException e) {
                    LOG.debug("session is replayed path={}", file, e);
                    return false;
                }
            } else if (!touched.equals(seen)) {
                seen = touched;
                since = ticker.nanos();
            } else if (ticker.nanos() - since > PATIENCE.toNanos()) {
                LOG.info("server that replayed a session has stopped, this one does it path={}", file);
                hdfs.delete(file);
            } else {
                hdfs.pause();
            }
        }
    }

    /** Shows the others that this server continues, unless it has just done so. Call it often. */
    void renew() throws IOException {
        if (ticker.nanos() - touchedNanos < RENEWAL.toNanos()) {
            return;
        }
        touchedNanos = ticker.nanos();
        try {
            hdfs.touch(file, ++touches);
        } catch (FileNotFoundException e) {
            LOG.debug("another server replays as well path={}", file, e);
        }
    }

    /** Lets another server replay at once, after a failure. */
    void release() {
        try {
            hdfs.delete(file);
        } catch (IOException e) {
            LOG.info(
                    "replay claim not deleted, other servers wait some seconds for it path={} cause={}",
                    file,
                    FirstLine.of(e));
        }
    }
}
