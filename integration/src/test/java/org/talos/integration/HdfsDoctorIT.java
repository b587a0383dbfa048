// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.boot.doctor.Doctor;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;

/** Tests init and doctor on a real HDFS. */
@Tag("full") // daemons
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(240)
class HdfsDoctorIT {
    private static final String SHELL = "org.apache.hadoop.fs.FsShell";
    private static final String ERASURE_CODING = "org.apache.hadoop.hdfs.tools.ECAdmin";

    @TempDir
    private Path directory;

    private final DevCluster cluster;

    HdfsDoctorIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void initMakesADirectoryOfItsOwnAndLeavesItTheSecondTime() throws Exception {
        ServerConfig config = config("/doctor/init");

        assertThat(ClusterSetUp.prepare(config)).anyMatch(line -> line.contains("made the directory drwx------"));
        assertThat(ClusterSetUp.prepare(config)).anyMatch(line -> line.contains("is there already: drwx------"));

        assertThat(cluster.run(SHELL, "-stat", "%A", "/doctor"))
                .as("not the servers' own")
                .isEqualTo("rwxr-xr-x");
    }

    @Test
    void everyLookAtAHealthyClusterIsGood() throws Exception {
        ServerConfig config = config("/doctor/healthy");
        ClusterSetUp.prepare(config);

        Doctor.Diagnosis diagnosis = Doctor.examine(config, 5);

        assertThat(diagnosis.results()).allMatch(each -> each.status() == Status.OK);
        assertThat(diagnosis.results().stream().collect(Collectors.toMap(ReportLine::what, ReportLine::detail)))
                .containsEntry("DataNodes", "live=3 hdfs.replication=3")
                .containsEntry("versions", "client=3.4.3 NameNode=3.4.3")
                .containsEntry("copies", "a new block has 3; hflush and hsync work")
                .hasEntrySatisfying(
                        "syncs",
                        syncs -> assertThat(syncs)
                                .startsWith("dfs.datanode.synconclose=not set (default: false) in this client's files;"
                                        + " what the DataNodes have is not known here"))
                .containsKeys("login", "HDFS", "safe mode", "space", "root", "clock", "files");
        assertThat(diagnosis.healthy()).isTrue();
        assertThat(cluster.run(SHELL, "-ls", "/doctor/healthy"))
                .as("it leaves nothing behind")
                .isEmpty();
    }

    @Test
    void filesAreToldByNameAndByTotals() throws Exception {
        ServerConfig config = config("/doctor/files");
        ClusterSetUp.prepare(config);
        cluster.run(SHELL, "-mkdir", "-p", "/doctor/files/segments/t1/0", "/doctor/files/journals/s1");
        cluster.run(
                SHELL,
                "-put",
                config("/x").hdfs().configDirectory() + "/core-site.xml",
                "/doctor/files/segments/t1/0/a.log");
        cluster.run(SHELL, "-touchz", "/doctor/files/segments/t1/0/b.log", "/doctor/files/journals/s1/c.journal");

        Inventory files = Doctor.examine(config, 2).inventories().get(0);

        assertThat(files.count()).isEqualTo(3);
        assertThat(files.totals().keySet()).containsExactlyInAnyOrder("journals", "segments");
        assertThat(files.first())
                .hasSize(2)
                .anyMatch(each -> each.line().startsWith("-rw-r--r--   3 "))
                .allMatch(each -> each.name().startsWith("/doctor/files/"));
    }

    @Test
    void missingDirectoryIsAFailureWithTheRemedy() throws Exception {
        Doctor.Diagnosis diagnosis = Doctor.examine(config("/doctor/nowhere"), 5);

        assertThat(failed(diagnosis)).containsOnlyKeys("root");
        assertThat(failed(diagnosis).get("root")).contains("make it with bin/talos init");
        assertThat(diagnosis.healthy()).isFalse();
    }

    @Test
    void moreCopiesThanDataNodesIsAFailure() throws Exception {
        ServerConfig config = config("/doctor/copies", "TALOS_HDFS_REPLICATION", "4");
        ClusterSetUp.prepare(config);

        Doctor.Diagnosis diagnosis = Doctor.examine(config, 5);

        assertThat(failed(diagnosis)).containsEntry("DataNodes", "live=3 hdfs.replication=4");
        assertThat(diagnosis.results())
                .anyMatch(each -> each.status() == Status.WARN && each.detail().equals("a new block has 3 of 4"));
    }

    @Test
    void erasureCodedDirectoryIsRefused() throws Exception {
        cluster.run(SHELL, "-mkdir", "-p", "/doctor-coded");
        cluster.run(ERASURE_CODING, "-enablePolicy", "-policy", "XOR-2-1-1024k");
        cluster.run(ERASURE_CODING, "-setPolicy", "-path", "/doctor-coded", "-policy", "XOR-2-1-1024k");
        ServerConfig config = config("/doctor-coded/talos");

        assertThatThrownBy(() -> ClusterSetUp.prepare(config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("erasure coded");
        assertThat(failed(Doctor.examine(config, 5)).get("root")).contains("XOR-2-1-1024k", "cannot be flushed");
    }

    @Test
    void userWhoMayNotIsTold() throws Exception {
        ServerConfig theirs = config("/doctor/theirs");
        ClusterSetUp.prepare(theirs);
        UserGroupInformation ann = UserGroupInformation.createRemoteUser("ann");

        Doctor.Diagnosis diagnosis =
                ann.doAs((PrivilegedExceptionAction<Doctor.Diagnosis>) () -> Doctor.examine(theirs, 5));

        assertThat(failed(diagnosis)).containsOnlyKeys("root");
        assertThat(failed(diagnosis).get("root")).contains("Permission denied: user=ann");
        assertThatThrownBy(() -> ann.doAs(
                        (PrivilegedExceptionAction<Object>) () -> ClusterSetUp.prepare(config("/ann-may-not"))))
                .hasMessageContaining("as a superuser: hdfs dfs -mkdir -p /ann-may-not");
    }

    private static Map<String, String> failed(Doctor.Diagnosis diagnosis) {
        return diagnosis.results().stream()
                .filter(each -> each.status() == Status.FAIL)
                .collect(Collectors.toMap(ReportLine::what, ReportLine::detail));
    }

    private ServerConfig config(String root, String... more) throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("TALOS_STORAGE_METADATA", "rocksdb");
        environment.put("TALOS_DATADIRECTORY", directory.toString());
        environment.put("TALOS_HDFS_ROOT", root);
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return ConfigLoader.load(cluster.talosConfig(), environment);
    }
}
