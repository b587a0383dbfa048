// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;

@Timeout(60)
final class ClientConfigurationTest {
    @TempDir
    private Path directory;

    @Test
    void readsBothFilesOfHdfsOverTheDefaults() throws Exception {
        write("core-site.xml", "fs.defaultFS", "hdfs://cluster");
        write("hdfs-site.xml", "dfs.replication", "2");

        Configuration read = ClientConfiguration.hdfs(config().hdfs());

        assertThat(read.get("fs.defaultFS")).isEqualTo("hdfs://cluster");
        assertThat(read.getInt("dfs.replication", 0)).isEqualTo(2);
        assertThat(read.get("ipc.client.connect.timeout"))
                .as("a default of Hadoop's own")
                .isNotNull();
    }

    @Test
    void readsHBasesFileOverTheDefaults() throws Exception {
        write("hbase-site.xml", "hbase.zookeeper.quorum", "one,two");

        Configuration read = ClientConfiguration.hbase(config().hbase());

        assertThat(read.get("hbase.zookeeper.quorum")).isEqualTo("one,two");
        assertThat(read.get("hbase.client.retries.number"))
                .as("a default of HBase's own")
                .isNotNull();
    }

    @Test
    void kerberosOfHBaseIsReadFromCoreSiteBesideIt() throws Exception {
        write("hbase-site.xml", "hbase.zookeeper.quorum", "one,two");
        write("core-site.xml", "hadoop.security.authentication", "kerberos");

        assertThat(ClientConfiguration.hbase(config().hbase()).get("hadoop.security.authentication"))
                .isEqualTo("kerberos");
    }

    @Test
    void doesNotReadWhatLiesOnTheClassPath() throws Exception {
        Path stray = Files.createDirectory(directory.resolve("stray"));
        Files.writeString(stray.resolve("core-site.xml"), xml("fs.defaultFS", "hdfs://stray"));
        write("core-site.xml", "some.key", "some value");
        write("hdfs-site.xml", "some.key", "some value");
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader path = new URLClassLoader(new URL[] {stray.toUri().toURL()}, before)) {
            current.setContextClassLoader(path);

            assertThat(new Configuration().get("fs.defaultFS"))
                    .as("Hadoop's own way would find it")
                    .isEqualTo("hdfs://stray");
            assertThat(ClientConfiguration.hdfs(config().hdfs()).get("fs.defaultFS"))
                    .isEqualTo("file:///");
        } finally {
            current.setContextClassLoader(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"core-site.xml", "hdfs-site.xml"})
    void missingFileOfHdfsIsNamed(String missing) throws Exception {
        write("core-site.xml", "some.key", "some value");
        write("hdfs-site.xml", "some.key", "some value");
        Files.delete(directory.resolve(missing));

        assertThatThrownBy(() -> ClientConfiguration.hdfs(config().hdfs()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(directory.resolve(missing) + " is missing");
    }

    @Test
    void missingFileOfHBaseIsNamed() {
        assertThatThrownBy(() -> ClientConfiguration.hbase(config().hbase()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(directory.resolve("hbase-site.xml") + " is missing");
    }

    @Test
    void missingFolderIsNamedWithItsKey() throws Exception {
        Path none = directory.resolve("none");
        ServerConfig config = ConfigLoader.load(Map.of("TALOS_HDFS_CONFIGDIRECTORY", none.toString()));

        assertThatThrownBy(() -> ClientConfiguration.hdfs(config.hdfs()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("hdfs.configDirectory: " + none);
    }

    @Test
    void fileThatIsNoConfigurationIsNamed() throws Exception {
        write("core-site.xml", "some.key", "some value");
        Files.writeString(directory.resolve("hdfs-site.xml"), "<configuration><property>");

        assertThatThrownBy(() -> ClientConfiguration.hdfs(config().hdfs()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(directory.resolve("hdfs-site.xml") + " is not a Hadoop configuration");
    }

    private ServerConfig config() throws ConfigException {
        return ConfigLoader.load(Map.of(
                "TALOS_HDFS_CONFIGDIRECTORY", directory.toString(),
                "TALOS_HBASE_CONFIGDIRECTORY", directory.toString()));
    }

    private void write(String file, String key, String value) throws IOException {
        Files.writeString(directory.resolve(file), xml(key, value));
    }

    private static String xml(String key, String value) {
        return "<configuration><property><name>" + key + "</name><value>" + value
                + "</value></property></configuration>";
    }
}
