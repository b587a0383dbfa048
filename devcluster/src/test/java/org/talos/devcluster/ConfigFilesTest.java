// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class ConfigFilesTest {
    @TempDir
    private Path folder;

    /** That of the table of tables first, then those of the others together. */
    @Test
    void hbaseSkipsTwoLogsThatCanNotBeClosedBeforeAHealTimesOut() throws Exception {
        Layout layout = new Layout(folder, folder);
        Files.createDirectories(layout.daemonConfig());
        Files.createDirectories(layout.clientConfig());

        new ConfigFiles(layout, Ports.load(layout.portsFile(), 20_000, 0)).write(Parts.ALL);

        // An attempt is waited for as often as there were attempts before it, and the time is checked after that.
        Duration attempt = hbase(layout, "hbase.lease.recovery.dfs.timeout");
        Duration given = hbase(layout, "hbase.lease.recovery.timeout");
        Duration waited = Duration.ZERO;
        for (int attempts = 1; waited.compareTo(given) <= 0; attempts++) {
            waited = waited.plus(attempt.multipliedBy(attempts));
        }
        assertThat(waited.multipliedBy(2)).isLessThan(ClientProgram.LONGEST);
    }

    private static Duration hbase(Layout layout, String name) throws Exception {
        String site = Files.readString(layout.daemonConfig().resolve("hbase-site.xml"));
        Matcher setting = Pattern.compile("<name>" + Pattern.quote(name) + "</name><value>(\\d+)</value>")
                .matcher(site);
        assertThat(setting.find()).as(name).isTrue();
        return Duration.ofMillis(Long.parseLong(setting.group(1)));
    }

    @Test
    void eachServerOfAnEnsembleKnowsItselfAndTheOthers() throws Exception {
        Layout layout = new Layout(folder, folder);
        Files.createDirectories(layout.daemonConfig());
        Files.createDirectories(layout.clientConfig());
        Ports ports = Ports.load(layout.portsFile(), 20_000, 3);

        new ConfigFiles(layout, ports).write(Parts.ALL);

        assertThat(Files.readString(layout.data("zookeeper-2").resolve("myid"))).isEqualTo("2");
        assertThat(Files.readString(layout.zooKeeperConfig(Daemon.ZOOKEEPER_2)))
                .contains("clientPort=" + ports.of(Daemon.ZOOKEEPER_2))
                .contains("server.3=127.0.0.1:" + ports.peer(Daemon.ZOOKEEPER_3) + ":"
                        + ports.election(Daemon.ZOOKEEPER_3));
        assertThat(Files.readString(layout.clientConfig().resolve("hbase-site.xml")))
                .contains("<value>" + ports.zooKeeper() + "</value>");
    }

    @Test
    void zooKeeperWithAPasswordKnowsItsUserAndLetsOthersIn() throws Exception {
        Layout layout = new Layout(folder, folder);
        Files.createDirectories(layout.daemonConfig());
        Files.createDirectories(layout.clientConfig());
        Files.writeString(layout.zooKeeperPassword(), "secret\n");

        new ConfigFiles(layout, Ports.load(layout.portsFile(), 20_000, 0)).write(Parts.ALL);

        assertThat(Files.readString(layout.zooKeeperConfig(Daemon.ZOOKEEPER)))
                .contains("authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider\n")
                .doesNotContain("requireClientAuthScheme"); // which HBase could not meet
        assertThat(layout.zooKeeperLogins()).content().contains("Server {").contains("user_talos=\"secret\";");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(layout.zooKeeperLogins())))
                .isEqualTo("rw-------");
    }
}
