// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class PortsTest {
    @TempDir
    private Path directory;

    @Test
    void eachNameHasAPortOfItsOwnThatNobodyUses() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(Ports.address(0));

            Ports ports = Ports.load(directory.resolve("ports"), taken.getLocalPort(), 0);

            assertThat(new HashSet<>(ports.byName().values()))
                    .hasSameSizeAs(ports.byName().values())
                    .doesNotContain(taken.getLocalPort());
        }
    }

    @Test
    void portsStayTheSame() throws Exception {
        Path file = directory.resolve("ports");
        Ports first = Ports.load(file, 20_000, 0);
        first.save(file);

        assertThat(Ports.load(file, 25_000, 0)).isEqualTo(first);
    }

    @Test
    void dataNodeListensAtThreePorts() throws Exception {
        Ports ports = Ports.load(directory.resolve("ports"), 20_000, 0);

        assertThat(ports.allOf(Daemon.DATANODE_1))
                .containsExactlyInAnyOrder(
                        ports.of(Daemon.DATANODE_1), ports.http(Daemon.DATANODE_1), ports.ipc(Daemon.DATANODE_1));
        assertThat(ports.allOf(Daemon.HMASTER)).containsExactly(ports.of(Daemon.HMASTER));
    }

    @Test
    void nameThatIsNoneIsRefused() throws Exception {
        Ports ports = Ports.load(directory.resolve("ports"), 20_000, 0);

        assertThatThrownBy(() -> ports.of("nonsense")).hasMessageContaining("nonsense");
    }

    @Test
    void serverOfAnEnsembleListensAtThreePorts() throws Exception {
        Ports ports = Ports.load(directory.resolve("ports"), 20_000, 3);

        assertThat(ports.allOf(Daemon.ZOOKEEPER_2))
                .containsExactlyInAnyOrder(
                        ports.of(Daemon.ZOOKEEPER_2),
                        ports.peer(Daemon.ZOOKEEPER_2),
                        ports.election(Daemon.ZOOKEEPER_2));
        assertThat(ports.zooKeeper().split(",")).hasSize(3);
    }

    @Test
    void numberOfZooKeepersStaysTheSame() throws Exception {
        Path file = directory.resolve("ports");
        Ports.load(file, 20_000, 3).save(file);

        assertThat(Ports.load(file, 20_000, 0).zooKeepers())
                .containsExactly(Daemon.ZOOKEEPER, Daemon.ZOOKEEPER_2, Daemon.ZOOKEEPER_3);
        assertThatThrownBy(() -> Ports.load(file, 20_000, 1)).hasMessageContaining("has 3 of ZooKeeper's servers");
    }

    @Test
    void ensembleOfTwoIsRefused() {
        assertThatThrownBy(() -> Ports.load(directory.resolve("ports"), 20_000, 2))
                .hasMessageContaining("ZooKeeper servers: 2 (expected: 1 or 3)");
    }

    /** The names before it in the order of the file were added by a later version. */
    @Test
    void newNameTakesNoPortThatAnotherHas() throws Exception {
        Path file = directory.resolve("ports");
        Ports known = Ports.load(file, 20_000, 0);
        Map<String, Integer> without = new TreeMap<>(known.byName());
        without.remove(Daemon.ZOOKEEPER.label());
        new Ports(without).save(file);

        Ports loaded = Ports.load(file, known.of(Daemon.NAMENODE), 0);

        assertThat(new HashSet<>(loaded.byName().values()))
                .hasSameSizeAs(loaded.byName().values());
    }
}
