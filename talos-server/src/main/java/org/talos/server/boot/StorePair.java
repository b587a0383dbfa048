// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rows.StoreIdentity;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.storage.LogId;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Sees to it that a server's logs belong to its rows: both have one identity, given when both were set up. A server
 * with a wrong directory would else find none of the segments that its rows name; and two servers with two directories
 * could both acknowledge messages of one partition.
 *
 * <p>Confined: to the thread that sets up a store or starts a server. Every call blocks.
 */
public final class StorePair {
    /** Number of partitions whose files are searched for when rows of an earlier version get an identity. */
    private static final int WITNESSES = 100;

    private static final int IDENTITY_BYTES = 16;

    private final LogsIdentity logs;
    private final StoreIdentity rows;
    private final Partitions partitions;
    private final String rowsPlace;

    /** @param rowsPlace where the rows are, for messages */
    public StorePair(LogsIdentity logs, MetadataStore metadata, String rowsPlace) {
        this.logs = logs;
        rows = new StoreIdentity(metadata);
        partitions = new Partitions(metadata);
        this.rowsPlace = rowsPlace;
    }

    /** An identity that no other store has. */
    public static String newIdentity() {
        byte[] bytes = new byte[IDENTITY_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /**
     * Refuses logs and rows that do not belong together, or whose relation is unknown.
     *
     * @return their identity
     * @throws StorageException UNAVAILABLE: the stores are refused; the message has the remedy
     */
    public String check() throws StorageException, MetadataException {
        Optional<String> ofLogs = logs.find();
        Optional<String> ofRows = rows.find();
        if (ofLogs.isEmpty() && ofRows.isEmpty()) {
            throw refused("have no identity yet: run bin/talos init --config FILE once, with the right hdfs.root and "
                    + "hbase.table. An upgrade needs that too");
        }
        return same(ofLogs, ofRows);
    }

    /**
     * Like {@link #check}, but gives an identity to logs and rows that have none, if nothing speaks against it.
     *
     * @param ids makes an identity that no other store has
     */
    public String checkOrGive(Supplier<String> ids) throws StorageException, MetadataException {
        Optional<String> ofLogs = logs.find();
        Optional<String> ofRows = rows.find();
        if (ofLogs.isPresent()) {
            return same(ofLogs, ofRows);
        }
        Optional<String> begun = logs.begun();
        if (ofRows.isEmpty()) {
            refuseLogsOfOthers();
            if (begun.isEmpty()) {
                begun = Optional.of(ids.get());
                logs.begin(begun.get());
            }
            ofRows = Optional.of(rows.give(begun.get()));
        }
        if (begun.equals(ofRows)) {
            logs.finish();
            return begun.get();
        }
        return same(Optional.empty(), ofRows);
    }

    private String same(Optional<String> ofLogs, Optional<String> ofRows) throws StorageException {
        if (ofLogs.isPresent() && ofLogs.equals(ofRows)) {
            return ofLogs.get();
        }
        throw refused("do not belong together: the logs have the identity " + ofLogs.orElse("none") + ", the rows "
                + ofRows.orElse("none")
                + ". Nothing was changed. Look at hdfs.root, hdfs.configDirectory, hbase.table, "
                + "hbase.configDirectory and dataDirectory: one of them names another store's. If they are meant to be "
                + "one, after a restore: docs/operations.md, 'Logs and rows that belong together'");
    }

    /** Refuses the logs of others: of the rows' newest sealed segments at least one has to exist, if there are any. */
    private void refuseLogsOfOthers() throws StorageException, MetadataException {
        List<SegmentName> named = new ArrayList<>();
        for (Partitions.Listed each : partitions.someWithWholeFile(WITNESSES)) {
            LogId log = new LogId(each.topicId(), each.partition());
            SegmentRecord newest = each.row().segments().stream()
                    .filter(SegmentRecord::hasWholeFile)
                    .reduce((earlier, later) -> later)
                    .orElseThrow();
            SegmentName name = new SegmentName(log, newest.baseOffset(), newest.epoch());
            if (logs.holds(name)) {
                return;
            }
            named.add(name);
        }
        if (!named.isEmpty()) {
            throw refused("do not belong together: none of the segments that the rows name is there, such as "
                    + named.get(0) + ". Nothing was changed. Look at hdfs.root, hdfs.configDirectory, hbase.table, "
                    + "hbase.configDirectory and dataDirectory");
        }
    }

    private StorageException refused(String why) {
        return new StorageException(
                Reason.UNAVAILABLE,
                Effect.NONE,
                "the logs in " + logs.place() + " and the rows in " + rowsPlace + " " + why,
                null);
    }
}
