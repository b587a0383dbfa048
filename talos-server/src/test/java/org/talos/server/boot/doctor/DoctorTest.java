// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;

/** The report on the nodes in ZooKeeper. */
@ResourceLock(ZooKeeperUsers.LOGINS)
@Timeout(120)
class DoctorTest {
    private static final List<ACL> OWNERS = Arrays.asList(new ACL(ZooDefs.Perms.ALL, new Id("sasl", "talos")));
    private static final Id ANYONE = new Id("world", "anyone");
    private static final List<ACL> EVERYBODY = Arrays.asList(new ACL(ZooDefs.Perms.ALL, ANYONE));
    private static final int SESSION_MILLIS = 10_000;

    @TempDir
    private Path folder;

    private ZooKeeperUsers users;
    private TestingServer zooKeeper;

    @BeforeEach
    void open() throws Exception {
        users = new ZooKeeperUsers(Map.of("talos", "right"));
        zooKeeper = new TestingServer();
    }

    @AfterEach
    void close() throws Exception {
        zooKeeper.close();
        users.close();
    }

    private void node(String path, List<ACL> list) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(zooKeeper.getConnectString(), SESSION_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        try {
            assertThat(connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            client.create(path, new byte[0], list, CreateMode.PERSISTENT);
        } finally {
            client.close();
        }
    }

    private ReportLine report(Map<String, String> set) throws Exception {
        Map<String, String> environment = new TreeMap<>(Map.of(
                "TALOS_DATADIRECTORY",
                folder.toString(),
                "TALOS_CLUSTER_COORDINATION",
                "zookeeper",
                "TALOS_ZOOKEEPER_CONNECT",
                zooKeeper.getConnectString(),
                "TALOS_TRANSFER_KEYFILE",
                "unused"));
        environment.putAll(set);
        return Doctor.examine(ConfigLoader.load(environment), 1).results().stream()
                .filter(line -> line.what().equals("ZooKeeper"))
                .findFirst()
                .orElseThrow();
    }

    private Map<String, String> withPassword(String password) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), password + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return Map.of("TALOS_ZOOKEEPER_SASL_MECHANISM", "digest", "TALOS_ZOOKEEPER_SASL_PASSWORDFILE", file.toString());
    }

    @Test
    void nodesThatAreOpenThoughThereAreCredentialsAreNamed() throws Exception {
        List<ACL> childrenByAll = Arrays.asList(OWNERS.get(0), new ACL(ZooDefs.Perms.CREATE, ANYONE));
        node("/talos", childrenByAll);
        node("/talos/events", OWNERS);
        node("/talos/clocks", OWNERS);

        ReportLine line = report(withPassword("right"));

        assertThat(line.status()).isEqualTo(Status.WARN);
        assertThat(line.detail()).isEqualTo("1 of 3 nodes under /talos are open to everybody, such as /talos");
        assertThat(line.hint()).startsWith("restart the servers");
    }

    @Test
    void nodesOfTheServersAloneAreInOrder() throws Exception {
        node("/talos", OWNERS);

        assertThat(report(withPassword("right")).status()).isEqualTo(Status.OK);
    }

    @Test
    void nodesOfAnotherListAreCounted() throws Exception {
        node("/talos", Arrays.asList(OWNERS.get(0), new ACL(ZooDefs.Perms.READ, ANYONE)));

        assertThat(report(withPassword("right")).detail()).startsWith("1 of 1 nodes under /talos have another access");
    }

    @Test
    void credentialsThatZooKeeperRefusesAreAFailure() throws Exception {
        node("/talos", OWNERS);

        ReportLine line = report(withPassword("wrong"));

        assertThat(line.status()).isEqualTo(Status.FAIL);
        assertThat(line.detail()).contains("refuses the credentials of zookeeper.sasl");
    }

    @Test
    void nodesOfServersWithCredentialsAreAFailureWithoutThem() throws Exception {
        node("/talos", OWNERS);

        ReportLine line = report(Map.of());

        assertThat(line.status()).isEqualTo(Status.FAIL);
        assertThat(line.detail()).contains("belongs to servers with credentials");
    }

    @Test
    void openNodesAreInOrderWithoutCredentials() throws Exception {
        node("/talos", EVERYBODY);

        ReportLine line = report(Map.of());

        assertThat(line.status()).isEqualTo(Status.OK);
        assertThat(line.detail()).contains("1 open to everybody");
    }
}
