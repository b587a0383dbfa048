// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;

@Timeout(120)
class QuickstartIT {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, folder, false);
        return Commands.prepared(new QuickstartCommand(context))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    @Test
    void everyMessageComesBack() {
        assertThat(run("--once", "--messages", "500")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("all 500 messages came back", "P99/ms")
                .doesNotContain("\r");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void keptDirectoryCanBeUsedAgain() {
        String data = folder.resolve("kept").toString();

        assertThat(run("--once", "--messages", "100", "--data", data)).isZero();
        assertThat(run("--once", "--messages", "100", "--data", data)).isZero();

        assertThat(folder.resolve("kept/admin.credentials")).exists();
    }

    @Test
    void portThatIsTakenIsSaidInASentence() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());

            assertThat(run("--once", "--port", port)).isEqualTo(1);

            assertThat(err.toString())
                    .startsWith("talos: http.host and http.port: cannot listen on 127.0.0.1:" + port + ": ")
                    .contains("TALOS_HTTP_PORT");
        }
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void serverOfAConfigurationIsUsedAndItsDataIsKept() throws Exception {
        Path config = Files.writeString(
                folder.resolve("talos.yaml"),
                "dataDirectory: " + folder.resolve("configured") + "\nhttp: {port: 0}\nmanagement: {port: 0}\n");

        assertThat(run("--once", "--messages", "100", "--config", config.toString()))
                .isZero();

        assertThat(folder.resolve("configured/admin.credentials")).exists();
        assertThat(folder.resolve("configured/logs")).isNotEmptyDirectory();
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void otherBytesThanThoseThatWerePutAreNoticed() throws Exception {
        Map<String, String> environment = Map.of(
                "TALOS_DATADIRECTORY",
                folder.resolve("data").toString(),
                "TALOS_HTTP_PORT",
                "0",
                "TALOS_MANAGEMENT_PORT",
                "0");
        try (TalosServer server = TalosServer.start(ConfigLoader.load(environment))) {
            URI uri = URI.create("http://127.0.0.1:" + server.port());
            TalosEndpoint endpoint = Connection.fromFile(uri, folder.resolve("data/admin.credentials"));
            TopicDescription topic =
                    new TalosAdmin(new TalosClient(endpoint).once()).createTopic(NewTopic.of("mixed", 2));
            var one = new RoundTrip(new TalosClient(endpoint), topic, new Workload(1, 20, 2));
            var other = new RoundTrip(new TalosClient(endpoint), topic, new Workload(2, 20, 2));
            var more = new RoundTrip(new TalosClient(endpoint), topic, new Workload(1, 22, 2));

            one.put(new Phase(each -> {}));
            one.get(new Phase(each -> {}));
            other.get(new Phase(each -> {}));
            more.get(new Phase(each -> {}));

            assertThat(one.differences()).isEmpty();
            assertThat(other.differences()).isNotEmpty().allMatch(each -> each.contains("other bytes"));
            assertThat(more.differences()).hasSize(2).allMatch(each -> each.contains("ends after 10 of 11"));
        }
        assertThat(Files.exists(folder.resolve("data"))).isTrue();
    }
}
