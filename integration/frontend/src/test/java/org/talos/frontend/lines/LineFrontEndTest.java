// SPDX-License-Identifier: Apache-2.0
package org.talos.frontend.lines;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.TalosServer;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.frontend.EnabledFrontEnds;

/** A front end of a module that the server does not know. */
@Timeout(60)
class LineFrontEndTest {
    private static final String ENABLED = "TALOS_FRONTENDS_LINES_ENABLED";

    @TempDir
    private Path data;

    private ServerConfig config(String name, String value) throws ConfigException {
        Map<String, String> environment = new HashMap<>(Map.of(
                "TALOS_DATADIRECTORY", data.toString(),
                "TALOS_HTTP_PORT", "0",
                "TALOS_MANAGEMENT_ENABLED", "false",
                "TALOS_SERVICE_SHUTDOWNGRACE", "2s"));
        environment.put(name, value);
        return ConfigLoader.load(environment);
    }

    private static Socket connect(TalosServer server) throws Exception {
        int port = server.port(LineProvider.NAME).orElseThrow();
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private static BufferedReader reader(Socket socket) throws Exception {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    private static void send(Socket socket, String lines) throws Exception {
        socket.getOutputStream().write(lines.getBytes(UTF_8));
    }

    private String authentication() throws Exception {
        Properties credentials = new Properties();
        try (var in = Files.newBufferedReader(data.resolve("admin.credentials"))) {
            credentials.load(in);
        }
        return "AUTH " + credentials.getProperty("accessKey") + " " + credentials.getProperty("secretKey") + "\n";
    }

    private void put(TalosServer server, String text) throws Exception {
        ClientConfig config = ClientConfig.of(server.uri(), data.resolve("admin.credentials"));
        try (TalosClient client = new TalosClient(config)) {
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
            try (SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE)) {
                var unused = producer.put(0, List.of(OutgoingMessage.of(text)));
            }
        }
    }

    @Test
    void messageThatTheSdkHasPutComesByTheOtherFrontEnd() throws Exception {
        try (TalosServer server = TalosServer.start(config(ENABLED, "true"))) {
            put(server, "hello");
            try (Socket socket = connect(server)) {
                BufferedReader answers = reader(socket);

                send(socket, authentication() + "GET orders 0 0\nGET orders 7 0\n");

                assertThat(answers.readLine()).isEqualTo("OK");
                assertThat(answers.readLine()).isEqualTo("MESSAGE hello");
                assertThat(answers.readLine()).startsWith("ERROR ");
            }
        }
    }

    @Test
    void clientWithoutAKeyIsRefused() throws Exception {
        try (TalosServer server = TalosServer.start(config(ENABLED, "true"))) {
            put(server, "hello");
            try (Socket socket = connect(server)) {
                BufferedReader answers = reader(socket);

                send(socket, "GET orders 0 0\nAUTH AKUNKNOWN secret\nGET orders 0 0\n");

                assertThat(answers.readLine()).startsWith("ERROR ");
                assertThat(answers.readLine()).isEqualTo("ERROR The access key is unknown or the secret is wrong.");
                assertThat(answers.readLine()).startsWith("ERROR ");
            }
        }
    }

    @Test
    void closeAnswersARequestThatWaitsAndEndsTheConnection() throws Exception {
        TalosServer server = TalosServer.start(config(ENABLED, "true"));
        try {
            put(server, "hello");
            try (Socket socket = connect(server)) {
                BufferedReader answers = reader(socket);
                send(socket, authentication() + "GET orders 0 0\nGET orders 0 1\n");
                assertThat(answers.readLine()).isEqualTo("OK");
                assertThat(answers.readLine()).isEqualTo("MESSAGE hello"); // the server has both lines by now

                server.close();

                assertThat(answers.readLine()).isEqualTo("NONE");
                assertThat(answers.readLine()).isNull();
                assertThat(server.reservedBytes()).isZero();
            }
        } finally {
            server.close();
        }
    }

    @Test
    void isOffUnlessItIsEnabled() throws Exception {
        try (TalosServer server = TalosServer.start(config("TALOS_FRONTENDS_LINES_PORT", "0"))) {
            assertThat(server.port(LineProvider.NAME)).isEmpty();
        }
    }

    @Test
    void unknownFrontEndsAndKeysAreRefused() throws Exception {
        ServerConfig unknown = config("TALOS_FRONTENDS_KAFKA_ENABLED", "true");
        ServerConfig wrongKey = config("TALOS_FRONTENDS_LINES_PROT", "1");

        assertThatThrownBy(() -> EnabledFrontEnds.of(unknown.frontEnds()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("frontEnds.kafka: unknown front end (expected: lines)");
        assertThatThrownBy(() -> EnabledFrontEnds.of(wrongKey.frontEnds()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("unknown key frontEnds.lines.prot");
        assertThatThrownBy(() -> TalosServer.start(unknown)).isInstanceOf(IllegalArgumentException.class);
        assertThat(data).isEmptyDirectory();
    }
}
