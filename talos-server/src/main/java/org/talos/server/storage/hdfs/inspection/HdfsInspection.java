// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.inspection;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.VersionInfo;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.Report;

/**
 * Checks whether a server can keep its logs in this HDFS, by running a server's operations on a file of its own.
 *
 * <p>Confined: the thread that checks. Every call blocks.
 */
public final class HdfsInspection implements AutoCloseable {
    private static final String REPLACE = "dfs.client.block.write.replace-datanode-on-failure.";
    private static final String SYNC_ON_CLOSE = "dfs.datanode.synconclose";
    private static final Duration CLOCK_OFFSET = Duration.ofSeconds(30); // the same as HBase allows its servers
    private static final int NEARLY_FULL_PERCENT = 10;
    private static final int ASKED_FOR = 1 << 20;

    private final HdfsConfig config;
    private final Configuration client;
    private final InstantSource clock;
    private final Path root;
    private final DistributedFileSystem files;

    private HdfsInspection(HdfsConfig config, Configuration client, InstantSource clock, DistributedFileSystem files) {
        this.config = config;
        this.client = client;
        this.clock = clock;
        this.files = files;
        this.root = files.makeQualified(new Path(config.root()));
    }

    /**
     * Connects, and fails soon where a server would retry.
     *
     * @throws IOException the client files cannot be read, or the root is on another kind of file system
     */
    public static HdfsInspection open(HdfsConfig config, InstantSource clock) throws IOException {
        Configuration client = ClientConfiguration.hdfs(config);
        client.setInt("ipc.client.connect.max.retries", 2);
        client.setInt("ipc.client.connect.max.retries.on.timeouts", 1);
        client.setInt("ipc.client.connect.timeout", 5_000);
        client.setInt("dfs.client.failover.max.attempts", 4);
        client.setLong("ipc.client.rpc-timeout.ms", config.timeout().toMillis());
        FileSystem opened = FileSystem.newInstance(new Path(config.root()).toUri(), client);
        if (opened instanceof DistributedFileSystem files) {
            return new HdfsInspection(config, client, clock, files);
        }
        opened.close();
        throw new IOException("hdfs.root " + config.root() + " is not in HDFS but in " + opened.getUri()
                + " (expected: fs.defaultFS in core-site.xml, or the root as a URI)");
    }

    /**
     * Runs all checks.
     *
     * @param report receives their results
     * @return whether the root exists and can be read
     */
    public boolean inspect(Report report) {
        boolean reached = report.check(
                "HDFS", "is the NameNode running, and are core-site.xml and hdfs-site.xml the cluster's?", this::reach);
        if (!reached) {
            return false;
        }
        report.check("safe mode", "", this::safeMode);
        report.check("DataNodes", "", this::dataNodes);
        report.check("space", "", this::space);
        report.check("syncs", "", this::syncs);
        String own = "the servers' user must own it, and reach it";
        boolean there = report.check("root", own, this::root);
        if (there) {
            report.check("files", own, this::files);
        }
        return there;
    }

    private void reach(Report report) throws IOException {
        files.getFileStatus(new Path("/"));
        report.ok("HDFS", "reached " + files.getUri());
        versions(report);
    }

    /** Clients and servers of one major version understand each other. */
    private void versions(Report report) {
        String ours = VersionInfo.getVersion();
        String theirs = new NameNodePage(client).version().orElse("unknown");
        String detail = "client=" + ours + " NameNode=" + theirs;
        if (theirs.equals("unknown")) {
            report.ok("versions", detail + " (dfs.namenode.http-address is not in hdfs-site.xml, or does not answer)");
        } else if (!major(theirs).equals(major(ours))) {
            report.warn("versions", detail, "not tried together: see docs/hdfs-hbase.md");
        } else {
            report.ok("versions", detail);
        }
    }

    private static String major(String version) {
        return version.substring(0, Math.max(0, version.indexOf('.')));
    }

    private void safeMode(Report report) throws IOException {
        if (files.isInSafeMode()) {
            report.fail(
                    "safe mode",
                    "on: nothing can be written",
                    "wait for the DataNodes' blocks: hdfs dfsadmin -safemode get");
        } else {
            report.ok("safe mode", "off");
        }
    }

    private void dataNodes(Report report) throws IOException {
        int live;
        try {
            live = files.getDataNodeStats(DatanodeReportType.LIVE).length;
        } catch (RemoteException e) {
            if (!(e.unwrapRemoteException() instanceof AccessControlException)) {
                throw e;
            }
            report.ok("DataNodes", "only superusers may see how many there are: hdfs dfsadmin -report");
            return;
        }
        String detail = "live=" + live + " hdfs.replication=" + config.replication();
        if (live < config.replication()) {
            report.fail(
                    "DataNodes", detail, "start more DataNodes, or lower hdfs.replication and what it protects from");
        } else if (live == config.replication() && !continuesWithFewer()) {
            report.warn(
                    "DataNodes",
                    detail + ": none to replace one that dies, so writes fail until it is back",
                    "hdfs-site.xml: " + REPLACE + "best-effort = true, or more DataNodes");
        } else {
            report.ok("DataNodes", detail);
        }
    }

    /** Returns whether a write continues when a DataNode dies and there is no other to replace it. */
    private boolean continuesWithFewer() {
        return !client.getBoolean(REPLACE + "enable", true)
                || client.get(REPLACE + "policy", "DEFAULT").equalsIgnoreCase("NEVER")
                || client.getBoolean(REPLACE + "best-effort", false);
    }

    private void space(Report report) throws IOException {
        FsStatus status = files.getStatus();
        long percent = status.getCapacity() == 0 ? 0 : 100 * status.getRemaining() / status.getCapacity();
        String detail = "free=" + status.getRemaining() + " bytes (" + percent + " %) of " + status.getCapacity();
        if (percent < NEARLY_FULL_PERCENT) {
            report.warn("space", detail, "DataNodes refuse blocks before they are full: free some, or add disks");
        } else {
            report.ok("space", detail);
        }
    }

    /**
     * Checks the client's settings that concern the DataNodes' syncs. The DataNodes have settings of their own, which
     * cannot be seen from here.
     */
    private void syncs(Report report) {
        String ours = client.get(SYNC_ON_CLOSE, "not set (default: false)");
        report.ok(
                "syncs",
                SYNC_ON_CLOSE + "=" + ours + " in this client's files; what the DataNodes have is not known here. "
                        + "Servers have each block synced that is full or closed, whatever it says. With true, DataNodes "
                        + "also sync a block whose writer has gone");
    }

    private void root(Report report) throws IOException {
        FileStatus status = status();
        String detail = HdfsListing.line(status);
        var policy = files.getErasureCodingPolicy(root);
        if (policy != null) {
            throw new IOException(detail + " is erasure coded (" + policy.getName()
                    + "): its files cannot be flushed. hdfs ec -setPolicy -path " + config.root() + " -replicate");
        }
        if (status.getPermission().getOtherAction() != FsAction.NONE) {
            report.warn("root", detail + ": others can look in", "hdfs dfs -chmod 700 " + config.root());
        } else {
            report.ok("root", detail);
        }
    }

    private FileStatus status() throws IOException {
        try {
            return files.getFileStatus(root);
        } catch (FileNotFoundException e) {
            throw new IOException(root + " is missing: make it with bin/talos init --config FILE", e);
        }
    }

    private void files(Report report) throws IOException {
        Path made = new Path(root, ".doctor-" + UUID.randomUUID());
        Path renamed = new Path(root, made.getName() + ".renamed");
        try {
            write(made, report);
            if (!files.rename(made, renamed)) {
                throw new IOException(made + " cannot be renamed");
            }
            try (var in = files.open(renamed)) {
                if (in.readAllBytes().length != ASKED_FOR) {
                    throw new IOException(renamed + " does not have the bytes that were written");
                }
            }
            if (!files.delete(renamed, false)) {
                throw new IOException(renamed + " cannot be deleted");
            }
            report.ok("files", "created, written, renamed, read, deleted");
        } finally {
            files.delete(made, false);
            files.delete(renamed, false);
        }
    }

    private void write(Path made, Report report) throws IOException {
        Instant before = clock.instant();
        try (var out = files.create(made, false, 4_096, (short) config.replication(), config.blockBytes())) {
            clockOffset(files.getFileStatus(made), before, report);
            out.write(new byte[ASKED_FOR]);
            if (!out.hasCapability("hflush") || !out.hasCapability("hsync")) {
                throw new IOException("its files cannot be flushed");
            }
            out.hflush();
            out.hsync();
            int copies = out instanceof HdfsDataOutputStream hdfs ? hdfs.getCurrentBlockReplication() : 0;
            if (copies < config.replication()) {
                report.warn(
                        "copies",
                        "a new block has " + copies + " of " + config.replication(),
                        "DataNodes are missing, full, too busy (dfs.namenode.redundancy.considerLoad), or not reached from here");
            } else {
                report.ok("copies", "a new block has " + copies + "; hflush and hsync work");
            }
        }
    }

    /** The NameNode set the file's time somewhere between our two. */
    private void clockOffset(FileStatus created, Instant before, Report report) {
        Instant after = clock.instant();
        Instant theirs = Instant.ofEpochMilli(created.getModificationTime());
        Duration offset = theirs.isBefore(before)
                ? Duration.between(theirs, before)
                : theirs.isAfter(after) ? Duration.between(after, theirs) : Duration.ZERO;
        String detail = "the NameNode's is off by at most "
                + offset.plus(Duration.between(before, after)).toMillis() + " ms";
        if (offset.compareTo(CLOCK_OFFSET) > 0) {
            report.warn("clock", detail, "retention and Kerberos go by the clock: run NTP on all machines");
        } else {
            report.ok("clock", detail);
        }
    }

    /** Returns the listing of the root. */
    public HdfsListing listing() {
        return new HdfsListing(files, root);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
