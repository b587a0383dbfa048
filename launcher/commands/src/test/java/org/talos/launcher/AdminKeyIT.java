// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import picocli.CommandLine;

/** Tests the way back after the loss of the administrator's key. */
@Timeout(60)
class AdminKeyIT {
    @TempDir
    private Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    private int adminKey(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "admin-key";
        System.arraycopy(options, 0, arguments, 1, options.length);
        var context = new CommandContext(Map.of(), InputStream.nullInputStream(), out, home, false);
        CommandLine command = Main.commandLine(context, arguments);
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    private String credentials() throws Exception {
        return Files.readString(home.resolve("data/admin.credentials"));
    }

    @Test
    void lostKeyIsReplacedWhileTheServerIsStopped() throws Exception {
        Path lost = home.resolve("lost");
        try (CommandFixture server = new CommandFixture(home)) {
            server.talos("topic", "create", "orders", "--partitions", "1");
            Files.move(home.resolve("data/admin.credentials"), lost);
        }

        assertThat(adminKey()).as(err.toString()).isZero();

        Path file = home.resolve("data/admin.credentials");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "the key of admin is replaced; the new one is in " + file + ", which nobody else may read\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (CommandFixture server = new CommandFixture(home)) {
            assertThat(server.talos("topic", "list")).contains("orders");
            assertThat(server.talos("user", "list")).contains("admin");
            assertThat(server.code("topic", "list", "--credentials", lost.toString()))
                    .isEqualTo(1);
            assertThat(server.err()).contains("HTTP_401");
        }
    }

    @Test
    void runningServersKeyIsNotReplaced() throws Exception {
        try (CommandFixture server = new CommandFixture(home)) {
            String before = credentials();
            Path other = home.resolve("other");

            assertThat(adminKey()).isEqualTo(1);
            assertThat(adminKey("--out", other.toString())).isEqualTo(1);

            assertThat(err.toString().lines())
                    .hasSize(2)
                    .allSatisfy(
                            line -> assertThat(line).contains("is in use by another server", "stop the server first"));
            assertThat(credentials()).isEqualTo(before);
            assertThat(other).doesNotExist();
            assertThat(server.talos("topic", "list")).startsWith("TOPIC");
        }
    }

    @Test
    void keyGoesToTheFileThatIsNamed() throws Exception {
        new CommandFixture(home).close();
        String before = credentials();
        Path file = home.resolve("fresh");

        assertThat(adminKey("--data", home.resolve("data").toString(), "--out", file.toString(), "-o", "json"))
                .as(err.toString())
                .isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("{\"done\":\"replaced\",\"user\":\"admin\",\"accessKey\":\"TK")
                .doesNotContain("secret");
        assertThat(Files.readString(file)).contains("accessKey=TK", "secretKey=");
        assertThat(credentials()).isEqualTo(before);
    }

    @Test
    void directoryWithoutAServersDataIsRefused() {
        assertThat(adminKey()).isEqualTo(1);

        assertThat(err.toString()).contains("no server has used " + home.resolve("data"));
        assertThat(home.resolve("data")).doesNotExist();
    }
}
