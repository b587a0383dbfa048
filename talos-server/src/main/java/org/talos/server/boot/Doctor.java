// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.Report;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.hbase.HBaseInspection;
import org.talos.server.runtime.SystemTime;
import org.talos.server.storage.hdfs.HdfsInspection;

/**
 * Looks at the stores that a configuration names, without a server: can one work with them, and what do they hold?
 *
 * <p>Confined: whoever looks. Every call blocks.
 */
public final class Doctor {
    private final ServerConfig config;
    private final int shown;
    private final InstantSource clock = SystemTime.wallClock();
    private final Report findings = new Report();
    private final List<Inventory> holdings = new ArrayList<>();

    private Doctor(ServerConfig config, int shown) {
        this.config = config;
        this.shown = shown;
    }

    /**
     * What was found. Immutable.
     *
     * @param findings one for each thing that was looked at
     * @param holdings what the stores hold, as far as it could be read
     */
    public record Diagnosis(List<ReportLine> findings, List<Inventory> holdings) {
        /** Whether a server can work so. */
        public boolean healthy() {
            return findings.stream().noneMatch(each -> each.status() == ReportLine.Status.FAIL);
        }
    }

    /**
     * Looks at everything.
     *
     * @param shown so many files and rows are told by name
     */
    public static Diagnosis examine(ServerConfig config, int shown) {
        Doctor doctor = new Doctor(config, shown);
        doctor.examine();
        return new Diagnosis(doctor.findings.all(), List.copyOf(doctor.holdings));
    }

    private void examine() {
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        if (!config.storage().onHadoop()) {
            findings.ok("stores", "embedded, in " + data + ": nothing to be reached");
            return;
        }
        findings.look("login", "see kerberos in the configuration, and the folders it names", this::asTheServer);
    }

    /** What is looked at is what this user is shown. */
    private void asTheServer(Report found) throws IOException {
        try (HadoopLogin login = HadoopLogin.open(config)) {
            found.ok(
                    "login",
                    "user=" + login.user() + " kerberos=" + config.kerberos().enabled());
            if (config.storage().logs() == LogsIn.HDFS) {
                found.look("HDFS", "see hdfs in the configuration", this::hdfs);
            }
            if (config.storage().metadata() == MetadataIn.HBASE) {
                found.look("HBase", "is ZooKeeper that of hbase-site.xml, and HBase running?", this::hbase);
            }
        }
    }

    private void hdfs(Report found) throws IOException {
        try (HdfsInspection inspection = HdfsInspection.open(config.hdfs(), clock)) {
            if (inspection.inspect(found)) {
                holdings.add(inspection.listing().read(shown));
            }
        }
    }

    private void hbase(Report found) throws IOException, MetadataException {
        try (HBaseInspection inspection = HBaseInspection.open(config.hbase(), clock, SystemTime.ticker())) {
            Inventory rows = new Inventory("rows in the table " + config.hbase().table(), shown);
            if (inspection.inspect(found, rows)) {
                holdings.add(rows);
            }
        }
    }
}
