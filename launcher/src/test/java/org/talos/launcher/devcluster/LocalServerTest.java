// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.devcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.DevCluster;
import org.talos.launcher.local.ServerCertificates;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.transfer.tls.TransferTls;

class LocalServerTest {
    @TempDir
    private Path folder;

    private TransferTlsConfig configured(Optional<ServerCertificates> certificates) throws Exception {
        LocalServer server = new LocalServer(folder.resolve("server-1"), 1);
        Path jars = folder.resolve("jars");
        Files.createDirectories(jars.resolve("lib"));
        try (DevCluster cluster = DevCluster.attached(folder.resolve("cluster"), jars)) { // nothing of it is started
            server.configure(cluster, folder.resolve("transfer.key"), certificates);
        }
        return ConfigLoader.load(server.config(), Map.of()).transfer().tls();
    }

    @Test
    void serversTalkTlsWithCertificatesThatWereMadeForThem() throws Exception {
        assertThat(configured(Optional.empty()).mode()).isEqualTo(TlsMode.NONE);

        TransferTlsConfig tls = configured(Optional.of(ServerCertificates.make(folder, List.of("127.0.0.1"))));

        assertThat(tls.mode()).isEqualTo(TlsMode.REQUIRE);
        try (TransferTls read = TransferTls.start(tls, SystemTime.wallClock())) {
            assertThat(read.mode()).isEqualTo(TlsMode.REQUIRE);
        }
        assertThat(ServerCertificates.areIn(folder)).isTrue();
    }
}
