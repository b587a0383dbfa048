// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
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

            Ports ports = Ports.load(directory.resolve("ports"), taken.getLocalPort());

            assertThat(new HashSet<>(ports.byName().values()))
                    .hasSameSizeAs(ports.byName().values())
                    .doesNotContain(taken.getLocalPort());
        }
    }

    @Test
    void portsStayTheSame() throws Exception {
        Path file = directory.resolve("ports");
        Ports first = Ports.load(file, 20_000);
        first.save(file);

        assertThat(Ports.load(file, 25_000)).isEqualTo(first);
    }

    @Test
    void dataNodeListensAtThreePorts() throws Exception {
        Ports ports = Ports.load(directory.resolve("ports"), 20_000);

        assertThat(ports.allOf(Daemon.DATANODE_1))
                .containsExactlyInAnyOrder(
                        ports.of(Daemon.DATANODE_1), ports.http(Daemon.DATANODE_1), ports.ipc(Daemon.DATANODE_1));
        assertThat(ports.allOf(Daemon.HMASTER)).containsExactly(ports.of(Daemon.HMASTER));
    }

    @Test
    void nameThatIsNoneIsRefused() throws Exception {
        Ports ports = Ports.load(directory.resolve("ports"), 20_000);

        assertThatThrownBy(() -> ports.of("nonsense")).hasMessageContaining("nonsense");
    }
}
