// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rows.StoreIdentity.GenerationRow;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.local.LocalGeneration;

/**
 * Knows an earlier copy of a directory's logs, or of their rows: both have a number that grows when a server opens the
 * logs, and when it has closed them. The logs' number is on the disk before the rows get it, so that whatever a crash
 * or a power failure leaves, it is the rows' or the next.
 *
 * <p>Confined: the thread that starts and stops the server. Every call blocks.
 */
public final class Generation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Generation.class);

    private final LocalGeneration logs;
    private final GenerationRow rows;
    private final String rowsPlace;

    /** @param rowsPlace where the rows are, for messages */
    public Generation(LocalGeneration logs, MetadataStore metadata, String rowsPlace) {
        this.logs = logs;
        rows = new GenerationRow(metadata);
        this.rowsPlace = rowsPlace;
    }

    /**
     * Compares both, and changes nothing.
     *
     * @return the number of the rows, 0 before the first
     * @throws StorageException CORRUPT: the logs or the rows are an earlier copy; the message has the remedy
     */
    public long check() throws StorageException, MetadataException {
        OptionalLong ofLogs = logs.find();
        long ofRows = rows.find().map(Versioned::value).orElse(0L);
        if (ofRows > 0 && ofLogs.isEmpty()) {
            throw refused("the file " + logs.path() + " is missing: these may be earlier logs", ofRows);
        }
        if (ofLogs.orElse(0) < ofRows) {
            throw refused(
                    logs.path() + " has generation " + ofLogs.orElse(0) + ", the rows in " + rowsPlace + " have "
                            + ofRows + ": the logs are an earlier copy, and messages acknowledged since are not in it",
                    ofRows);
        }
        if (ofLogs.orElse(0) > ofRows + 1) {
            throw refused(
                    logs.path() + " has generation " + ofLogs.orElse(0) + ", the rows in " + rowsPlace + " have "
                            + ofRows + ": the rows are an earlier copy",
                    ofRows);
        }
        return ofRows;
    }

    private StorageException refused(String why, long ofRows) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                why
                        + ". Nothing was changed. Restore the newer files, or the whole data directory from one copy. Only to"
                        + " accept the loss, make the file say '" + LocalGeneration.FORM + ofRows
                        + "': docs/operations.md, 'A part that is missing'",
                null);
    }

    /** Gives both the next number. */
    void advance() throws StorageException, MetadataException {
        Optional<Versioned<Long>> row = rows.find();
        long next = row.map(Versioned::value).orElse(0L) + 1;
        logs.save(next); // first: the rows must not name messages that may be lost
        if (rows.save(next, row.map(Versioned::version).orElse(0L)).isEmpty()) {
            throw new StorageException(
                    Reason.UNAVAILABLE,
                    Effect.NONE,
                    "another server has opened logs for the rows in " + rowsPlace,
                    null);
        }
    }

    /** The logs are closed: a copy that was taken while they were open is an earlier one. */
    @Override
    public void close() {
        try {
            advance();
        } catch (StorageException | MetadataException e) {
            LOG.warn("clean-shutdown marker not written, the next start does not use it cause={}", e.toString());
        }
    }
}
