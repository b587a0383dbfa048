// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.cluster.zookeeper.Cluster.TOPIC;
import static org.talos.server.cluster.zookeeper.Cluster.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Access;
import org.talos.server.config.ZooKeeperSaslConfig.Mechanism;

/** Servers that make themselves known to a ZooKeeper by user and password. */
@ResourceLock(ZooKeeperUsers.LOGINS)
@Timeout(180)
class ZooKeeperAccessTest {
    private static final ACL OWNERS = new ACL(ZooDefs.Perms.ALL, new Id("sasl", "talos"));
    private static final ACL READERS = new ACL(ZooDefs.Perms.READ, new Id("world", "anyone"));

    private static final ACL EVERYBODY = new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"));

    @TempDir
    private Path folder;

    private ZooKeeperUsers users;
    private Cluster cluster;

    @BeforeEach
    void open() {
        users = new ZooKeeperUsers(Map.of("talos", "right", "other", "theirs"));
        cluster = new Cluster();
    }

    @AfterEach
    void close() throws IOException {
        cluster.close();
        users.close();
    }

    private ZooKeeperSaslConfig of(String user, String password, Access access) throws IOException {
        Path file = folder.resolve(user + "-" + password);
        Files.writeString(file, password + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return new ZooKeeperSaslConfig(Mechanism.DIGEST, user, file.toString(), "", "", "zookeeper", access);
    }

    private ZooKeeperSaslConfig right(Access access) throws IOException {
        return of("talos", "right", access);
    }

    /** The access list of each node, by its path. */
    private static Map<String, List<ACL>> lists(Server by) throws Exception {
        Map<String, List<ACL>> lists = new TreeMap<>();
        collect(by.connection(), "/talos", lists);
        return lists;
    }

    private static void collect(ZooKeeper client, String path, Map<String, List<ACL>> lists) throws Exception {
        lists.put(path, client.getACL(path, new Stat()));
        for (String name : client.getChildren(path, false)) {
            collect(client, path + "/" + name, lists);
        }
    }

    /** Has each kind of node made: docs/formats/cluster.md. */
    private void makeEveryNode(Server a, Server b) throws Exception {
        cluster.topics.put(TOPIC, 4);
        a.coordinator.topicChanged(TOPIC, 4);
        a.coordinator.rowsChanged();
        a.coordinator.report(List.of(new PartitionTraffic(TOPIC, 0, 1)), ServerHealth.of(Map.of(), 0));
        cluster.settled(4, a, b);
        a.coordinator.admin().drain(b.id);
        a.nodes().put(a.nodes().path(NodeKind.RELEASED, "a"), new byte[0]);
        a.nodes().put(a.nodes().path(NodeKind.TASK, "unreadable"), new byte[0]); // which stays
        eventually(() -> assertThat(a.nodes().names(a.nodes().traffic())).isNotEmpty());
        for (NodeKind kind : List.of(NodeKind.ROWS, NodeKind.HEALTH)) {
            eventually(() -> assertThat(a.nodes().names(a.nodes().folder(kind))).isNotEmpty());
        }
    }

    @Test
    void everyNodeBelongsToTheServersAlone() throws Exception {
        Server a = cluster.join("a", right(Access.PRIVATE));
        Server b = cluster.join("b", right(Access.PRIVATE));
        makeEveryNode(a, b);

        Map<String, List<ACL>> lists = lists(a);
        assertThat(lists)
                .containsKeys(
                        "/talos",
                        "/talos/cluster",
                        "/talos/cluster/servers/a",
                        "/talos/cluster/leader",
                        "/talos/cluster/topics/" + TOPIC,
                        "/talos/cluster/drains/b",
                        "/talos/cluster/tasks/unreadable",
                        "/talos/cluster/rows/a",
                        "/talos/cluster/released/a",
                        "/talos/cluster/health/a",
                        "/talos/events",
                        "/talos/clocks/a",
                        "/talos/processes/a",
                        "/talos/traffic/a");
        assertThat(lists).allSatisfy((path, list) -> assertThat(list).containsExactly(OWNERS));
    }

    @Test
    void everybodyMayReadIfTheConfigurationSaysSo() throws Exception {
        Server a = cluster.join("a", right(Access.READABLE));

        assertThat(lists(a)).allSatisfy((path, list) -> assertThat(list).containsExactlyInAnyOrder(OWNERS, READERS));
    }

    @Test
    void wrongPasswordEndsTheStartWithWhatToDo() {
        assertThatThrownBy(() -> cluster.join("a", of("talos", "wrong", Access.PRIVATE)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("refuses the credentials of zookeeper.sasl");
    }

    @Test
    void serverWithoutCredentialsIsToldThatItNeedsThem() throws Exception {
        for (Access access : new Access[] {Access.PRIVATE, Access.READABLE}) {
            Server known = cluster.join("known", right(access));

            assertThatThrownBy(() -> cluster.join("stranger"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("which belongs to servers with credentials: set zookeeper.sasl");
            known.coordinator.close();
        }
    }

    @Test
    void serverOfAnotherUserIsToldSo() throws Exception {
        cluster.join("a", right(Access.PRIVATE));

        assertThatThrownBy(() -> cluster.join("b", of("other", "theirs", Access.PRIVATE)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to another user than that of zookeeper.sasl");
    }

    @Test
    void zooKeeperThatAsksNobodyIsNoted() throws Exception {
        cluster.close();
        users.close();
        cluster = new Cluster();

        assertThatThrownBy(() -> cluster.join("a", right(Access.PRIVATE)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("or its servers know no users: they need authProvider.1=");
    }

    @Test
    void nodesOfBeforeAreChangedOverByServersThatGetCredentialsOneAfterAnother() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        makeEveryNode(a, b);
        assertThat(lists(a)).allSatisfy((path, list) -> assertThat(list).containsExactly(EVERYBODY));

        for (Access access : new Access[] {Access.OPEN, Access.PRIVATE}) { // two rolling restarts
            for (Server each : List.of(a, b)) {
                each.coordinator.close();
            }
            a = cluster.join("a", right(access));
            b = cluster.join("b", right(access));
        }

        assertThat(lists(a)).allSatisfy((path, list) -> assertThat(list).containsExactly(OWNERS));
        a.coordinator.close();
        b.coordinator.close();
        Server open = cluster.join("a", right(Access.OPEN)); // and back
        assertThat(lists(open)).allSatisfy((path, list) -> assertThat(list).containsExactly(EVERYBODY));
    }

    @Test
    void listThatSomebodyElseHasMadeStays() throws Exception {
        Server a = cluster.join("a");
        List<ACL> own = Arrays.asList(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone")), OWNERS);
        a.connection().setACL("/talos/events", own, -1);

        Server b = cluster.join("b", right(Access.PRIVATE));

        assertThat(lists(b).get("/talos/events")).containsExactlyInAnyOrderElementsOf(own);
        assertThat(lists(b).get("/talos/clocks")).containsExactly(OWNERS);
    }

    @Test
    void serverWhosePasswordIsRefusedForAWhileServesAgainOnceItIsRight() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a", right(Access.PRIVATE));
        cluster.settled(4, a);

        users.set(Map.of("talos", "another"));
        cluster.zooKeeper().restart();
        eventually(() -> assertThat(a.connection().getState()).isEqualTo(ZooKeeper.States.AUTH_FAILED));
        eventually(() -> assertThat(a.coordinator.isConnected()).isFalse());
        users.set(Map.of("talos", "right"));
        cluster.zooKeeper().restart();

        cluster.settled(4, a);
    }
}
