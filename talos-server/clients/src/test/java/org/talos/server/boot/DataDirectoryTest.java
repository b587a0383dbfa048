// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/** Tests the permissions of a server's files. */
@Timeout(60)
class DataDirectoryTest {
    @TempDir
    private Path directory;

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.toList();
        }
    }

    private static void assertPrivate(Path directory) throws IOException {
        for (Path each : below(directory)) {
            assertThat(permissions(each)).as(each.toString()).endsWith("------");
        }
    }

    private static void put(TestServer server) throws Exception {
        TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
        new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE)
                .put(0, List.of(OutgoingMessage.of("message")));
    }

    @Test
    void directoryThatThisUserMayNotMakeIsRefusedWithTheFolder() throws Exception {
        Path closed = Files.createDirectory(
                directory.resolve("closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-x------")));
        assumeFalse(Files.isWritable(closed), "this user may write everywhere");

        assertThatThrownBy(() -> DataDirectory.secure(closed.resolve("data")))
                .hasMessageEndingWith("cannot be made: this user may not write in " + closed);
    }

    @Test
    void whatAServerMakesIsItsAlone() throws Exception {
        Path data = directory.resolve("parent/data");
        try (TestServer server = TestServer.start(data, Map.of())) {
            put(server);

            assertPrivate(data.resolve("logs"));
            assertThat(permissions(data)).isEqualTo("rwx------");
            assertThat(permissions(data.resolve("metadata"))).isEqualTo("rwx------");
        }
    }

    @Test
    void whatWasOpenBeforeIsTheServersAloneFromItsStartOn() throws Exception {
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(data, Map.of())) {
            put(server);
        }
        Path elsewhere = Files.move(data.resolve("logs"), directory.resolve("disk"));
        Files.createSymbolicLink(data.resolve("logs"), elsewhere);
        Path foreign = Files.createDirectory(data.resolve("lost+found"));
        for (Path root : List.of(data, elsewhere)) {
            for (Path each : below(root)) {
                if (!each.endsWith("secrets.key") && !Files.isSymbolicLink(each)) {
                    boolean isDirectory = Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS);
                    Files.setPosixFilePermissions(
                            each, PosixFilePermissions.fromString(isDirectory ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }

        try (TestServer server = TestServer.start(data, Map.of())) {
            assertPrivate(elsewhere);
            assertThat(permissions(data)).isEqualTo("rwx------");
            assertThat(permissions(data.resolve("metadata"))).isEqualTo("rwx------");
            assertThat(permissions(data.resolve("admin.credentials"))).isEqualTo("rw-------");
            assertThat(permissions(foreign)).as("not the server's").isEqualTo("rwxr-xr-x");
            assertThat(server.admin().describeTopic("orders").partitions()).isEqualTo(1);
        }
    }

    @Test
    void logsAreGoneThroughOnlyWhereOthersGetIntoThem() throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Path logs = Files.createDirectory(data.resolve("logs"));
        Path file = Files.createFile(logs.resolve("segment"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(logs, PosixFilePermissions.fromString("rwx------"));

        DataDirectory.secure(data);

        assertThat(permissions(file)).as("out of reach").isEqualTo("rw-r--r--");

        Files.setPosixFilePermissions(logs, PosixFilePermissions.fromString("rwxr-xr-x"));

        DataDirectory.secure(data);

        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(permissions(logs)).isEqualTo("rwx------");
    }
}
