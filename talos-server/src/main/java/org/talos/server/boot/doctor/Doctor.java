// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.cluster.zookeeper.access.AccessLists;
import org.talos.server.cluster.zookeeper.access.NodeInspection;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Access;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.Report;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.hbase.HBaseInspection;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.hdfs.inspection.HdfsInspection;

/**
 * Checks the stores of a configuration, without a server, and lists their contents.
 *
 * <p>Confined: the calling thread. Every call blocks.
 */
public final class Doctor {
    private final ServerConfig config;
    private final int shown;
    private final InstantSource clock = SystemTime.wallClock();
    private final Report report = new Report();
    private final List<Inventory> inventories = new ArrayList<>();

    private Doctor(ServerConfig config, int shown) {
        this.config = config;
        this.shown = shown;
    }

    /**
     * The results. Immutable.
     *
     * @param results one for each check
     * @param inventories contents of the stores that could be read
     */
    public record Diagnosis(List<ReportLine> results, List<Inventory> inventories) {
        /** Returns whether no check has failed. */
        public boolean healthy() {
            return results.stream().noneMatch(each -> each.status() == ReportLine.Status.FAIL);
        }
    }

    /**
     * Runs all checks.
     *
     * @param shown number of files and of rows to list by name
     */
    public static Diagnosis examine(ServerConfig config, int shown) {
        Doctor doctor = new Doctor(config, shown);
        doctor.examine();
        return new Diagnosis(doctor.report.all(), List.copyOf(doctor.inventories));
    }

    private void examine() {
        CertificateChecks.run(config, report, clock);
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        if (config.storage().onHadoop()) {
            report.check("login", "see kerberos in the configuration, and the folders it names", this::asTheServer);
        } else {
            report.ok("stores", "embedded, in " + data + ": nothing to be reached");
        }
        if (config.cluster().coordination() == CoordinationBy.ZOOKEEPER) {
            report.check("ZooKeeper", "see zookeeper in the configuration", this::zooKeeper);
        }
    }

    private void zooKeeper(Report checks) throws IOException {
        ZooKeeperSaslConfig sasl = config.zookeeper().sasl();
        AccessLists.Survey found = NodeInspection.survey(config.zookeeper());
        String nodes = found.nodes() + " nodes under " + config.zookeeper().root();
        if (!sasl.enabled()) {
            checks.ok(
                    "ZooKeeper",
                    nodes + ", without credentials: " + found.open().size() + " open to everybody");
        } else if (!found.open().isEmpty()) {
            checks.warn(
                    "ZooKeeper",
                    found.open().size() + " of " + nodes + " are open to everybody, such as "
                            + found.open().get(0),
                    sasl.access() == Access.OPEN
                            ? "once all servers have credentials: another zookeeper.sasl.access"
                            : "restart the servers one after another: each changes at its start what servers made");
        } else if (found.other() > 0) {
            checks.warn(
                    "ZooKeeper",
                    found.other() + " of " + nodes + " have another access list than new ones get",
                    "restart a server, which changes what servers made; the rest was set by another program");
        } else {
            checks.ok("ZooKeeper", nodes + ", access=" + sasl.access().name().toLowerCase(Locale.ROOT));
        }
    }

    /** Checks the stores as the user that the server would be. */
    private void asTheServer(Report checks) throws IOException {
        try (HadoopLogin login = HadoopLogin.open(config)) {
            checks.ok(
                    "login",
                    "user=" + login.user() + " kerberos=" + config.kerberos().enabled());
            boolean logs = config.storage().logs() == LogsIn.HDFS;
            if (logs) {
                checks.check("HDFS", "see hdfs in the configuration", this::hdfs);
            }
            boolean rows = config.storage().metadata() == MetadataIn.HBASE;
            if (rows) {
                checks.check("HBase", "is ZooKeeper that of hbase-site.xml, and HBase running?", this::hbase);
            }
            if (logs && rows && inventories.size() == 2) { // both could be read
                checks.check("identity", "a server with this configuration would not start", this::identity);
            }
        }
    }

    private void identity(Report checks) throws IOException, MetadataException {
        checks.ok("identity", "logs and rows belong together: " + ClusterSetUp.identity(config, false));
    }

    private void hdfs(Report checks) throws IOException {
        try (HdfsInspection inspection = HdfsInspection.open(config.hdfs(), clock)) {
            if (inspection.inspect(checks)) {
                inventories.add(inspection.listing().read(shown));
            }
        }
    }

    private void hbase(Report checks) throws IOException, MetadataException {
        try (HBaseInspection inspection = HBaseInspection.open(config.hbase(), clock, SystemTime.ticker())) {
            Inventory rows = new Inventory("rows in the table " + config.hbase().table(), shown);
            if (inspection.inspect(checks, rows)) {
                inventories.add(rows);
            }
        }
    }
}
