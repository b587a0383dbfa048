// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.transport.OwnKey;
import org.talos.thrift.ErrorCode;

/** Tests the advice for calls that cannot succeed at the address, or with the key, that was used. */
@Timeout(60)
class NextStepTest {
    @AutoClose
    private final ScriptedCommand talos;

    NextStepTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    /** Runs a command at a program that answers what it receives with bytes, and closes the connection. */
    private void callProgram(String scheme, byte[] answer, String... command) throws Exception {
        ExecutorService program = Executors.newSingleThreadExecutor();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var unused = program.submit(() -> {
                try (Socket socket = listening.accept()) {
                    assertThat(socket.getInputStream().read()).isNotNegative();
                    socket.getOutputStream().write(answer);
                    socket.shutdownOutput();
                    return socket.getInputStream().readAllBytes();
                }
            });
            callAt(scheme + "://127.0.0.1:" + listening.getLocalPort(), command);
        } finally {
            program.shutdownNow();
        }
    }

    private void callAt(String endpoint, String... command) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(List.of("--endpoint", endpoint));
        assertThat(talos.call(arguments.toArray(String[]::new))).as(talos.err()).isEqualTo(1);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic list", "topic list --sort size", "user rotate ann"})
    void tlsToAPlainPortIsAMatterOfTheScheme(String command) throws Exception {
        callProgram("https", text("HTTP/1.1 400 Bad Request\r\n\r\n"), command.split(" "));

        assertThat(talos.err())
                .contains("does not speak TLS (expected: http)", "Next: change http:// to https://, or the reverse")
                .doesNotContain("profile show", "may have happened");
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic list", "group list --sort lag", "user rotate ann"})
    void requestWithoutTlsToAServerOfTlsIsAMatterOfTheScheme(String command) throws Exception {
        callProgram("http", new byte[] {0x15, 3, 3, 0, 2, 2, 70}, command.split(" "));

        assertThat(talos.err())
                .contains("speaks TLS (expected: https)", "Next: change http:// to https://, or the reverse")
                .doesNotContain("may have happened");
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic list", "topic list --sort size", "user rotate ann"})
    void certificateThatIsNotTrustedIsNoReasonToStartAServer(String command) throws Exception {
        ExecutorService server = Executors.newSingleThreadExecutor();
        try (ServerSocket listening = OwnKey.make("san=ip:127.0.0.1")
                .ofServer()
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var unused = server.submit(() -> {
                try (Socket socket = listening.accept()) {
                    return socket.getInputStream().readAllBytes();
                }
            });
            callAt("https://127.0.0.1:" + listening.getLocalPort(), command.split(" "));
        } finally {
            server.shutdownNow();
        }

        assertThat(talos.err())
                .contains("is not trusted", "Next: call the server by a name in its certificate")
                .doesNotContain("may have happened", "start a server");
    }

    @Test
    void programThatSpeaksNoHttpIsNoReasonToStartAServer() throws Exception {
        callProgram("http", text("SSH-2.0-OpenSSH_9.6\r\n"), "topic", "list");

        assertThat(talos.err())
                .contains("none of HTTP/1", "Next: check that a Talos server, and not another program, answers")
                .doesNotContain("start a server");
    }

    @ParameterizedTest
    @CsvSource({"404, HTTP_404", "401, HTTP_401", "500, HTTP_500"})
    void webPageOfAnotherProgramIsNoQuestionOfTheKey(int status, String code) {
        talos.server.then(status(status, Map.of("Content-Type", "text/html"), "<html>Welcome to nginx</html>"));

        assertThat(talos.call("topic", "list")).isEqualTo(1);

        assertThat(talos.err())
                .contains(code + ": a web page", "Next: check that a Talos server")
                .doesNotContain("nginx", "user add");
    }

    @Test
    void answerThatIsNoneIsOfAnotherProgram() {
        talos.server.then(status(200, Map.of(), "welcome"));

        assertThat(talos.call("topic", "list")).isEqualTo(1);

        assertThat(talos.err()).contains("MALFORMED", "Next: check that a Talos server");
    }

    @Test
    void lastAdministratorIsRemovedOnceThereIsAnother() {
        talos.server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "the last administrator cannot be removed"));

        assertThat(talos.call("user", "remove", "admin", "--yes")).isEqualTo(1);

        assertThat(talos.err())
                .contains("Next: add another administrator first: 'talos user add NAME --admin")
                .doesNotContain("grant");
    }

    @Test
    void commandForAdministratorsNeedsTheKeyOfOne() {
        talos.server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "this is for administrators"));

        assertThat(talos.call("user", "list")).isEqualTo(1);

        assertThat(talos.err())
                .contains("Next: use the key of an administrator")
                .doesNotContain("grant");
    }
}
