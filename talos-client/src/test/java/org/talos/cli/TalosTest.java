// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.ScriptedServer;
import org.talos.thrift.AddUserResponse;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.User;
import picocli.CommandLine;

@Timeout(30)
class TalosTest {
    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter help = new StringWriter();
    private final StringWriter err = new StringWriter();
    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(Map<String, String> environment, String... arguments) {
        var surroundings = new Surroundings(environment, new ByteArrayInputStream(new byte[0]), out, home, false);
        CommandLine command = Talos.commandLine(surroundings);
        command.setOut(new PrintWriter(help, true)).setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    private int call(String... arguments) {
        return run(
                Map.of(
                        "TALOS_ENDPOINT",
                        server.uri().toString(),
                        "TALOS_ACCESS_KEY",
                        "AKENV",
                        "TALOS_SECRET_KEY",
                        "env-secret"),
                arguments);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "topic",
                "topic create",
                "topic create a b",
                "topic create a --partitions x",
                "topic create a --retention 1y",
                "topic grant a bob everything",
                "put",
                "put a b --compression RAR",
                "get",
                "get a --offset -3",
                "get a --offset first",
                "user",
                "user add",
                "quota set --puts 3",
                "quota set --user a --topic b",
                "quota approve CL1 many"
            })
    void wrongUsageIsTwoLinesAndExitCodeTwo(String line) {
        int code = call(line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(2);
        assertThat(err.toString()).startsWith("talos: ").contains("--help");
        assertThat(server.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "help",
                "--version",
                "topic --help",
                "topic create --help",
                "put --help",
                "get --help",
                "user add --help",
                "completion"
            })
    void helpIsNoFailure(String line) {
        assertThat(call(line.split(" "))).isZero();
        assertThat(help.toString()).contains("talos");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void exitCodesAreDocumented() {
        call("--help");

        assertThat(help.toString()).contains("Exit codes", "0   done", "1   failed", "2   wrong usage");
    }

    @Test
    void failureIsOneLineAndExitCodeOne() {
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "no topic orders"));

        assertThat(call("topic", "describe", "orders")).isEqualTo(1);
        assertThat(err.toString()).isEqualToIgnoringNewLines("talos: TOPIC_NOT_EXIST: no topic orders");
    }

    @Test
    void verboseFailureHasItsTrace() {
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "no topic orders"));

        assertThat(call("topic", "describe", "orders", "-v")).isEqualTo(1);
        assertThat(err.toString()).contains("talos: TOPIC_NOT_EXIST", "org.talos.client.Failures");
    }

    @Test
    void failureOfUnknownEffectSaysSo() {
        server.then(error(ErrorCode.HBASE_OPERATION_FAILED, "metadata"));

        call("user", "list");

        assertThat(err.toString()).contains("(it may have happened)");
    }

    @Test
    void withoutCredentialsItSaysHowToGiveThem() {
        assertThat(run(Map.of(), "topic", "list")).isEqualTo(1);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString())
                .contains(home.resolve("data/admin.credentials").toString(), "--credentials", "TALOS_ACCESS_KEY");
    }

    @Test
    void credentialsComeFromTheProjectsDataDirectory() throws IOException {
        server.then(result(new ListUsersResponse(List.of())));
        Files.createDirectories(home.resolve("data"));
        Files.writeString(home.resolve("data/admin.credentials"), "accessKey=AKHOME\nsecretKey=s\n");

        assertThat(run(Map.of(), "user", "list", "--endpoint", server.uri().toString()))
                .isZero();
        assertThat(server.asked().get(0).header("Authorization")).startsWith("Galaxy-V3 AKHOME:");
    }

    @Test
    void credentialsFileThatIsNamedGoesBeforeTheEnvironment() throws IOException {
        server.then(result(new ListUsersResponse(List.of())));
        Path file = Files.writeString(
                home.resolve("bob"), "# user bob: keep this\naccessKey = AKBOB\nsecretKey = with=equals=\n");

        assertThat(call("user", "list", "--credentials", file.toString())).isZero();
        assertThat(server.asked().get(0).header("Authorization")).startsWith("Galaxy-V3 AKBOB:");
    }

    @Test
    void environmentNamesTheCaller() {
        server.then(result(new ListUsersResponse(List.of())));

        assertThat(call("user", "list")).isZero();
        assertThat(server.asked().get(0).header("Authorization")).startsWith("Galaxy-V3 AKENV:");
    }

    @Test
    void endpointThatIsNoneIsRefused() {
        assertThat(call("topic", "list", "--endpoint", "localhost")).isEqualTo(1);
        assertThat(err.toString()).contains("http://127.0.0.1:8080");
    }

    @Test
    void newUsersOutputIsAFileOfCredentials() throws Exception {
        var added = new AddUserResponse();
        added.setUser(new User("bob", "AKNEW", false, List.of(), List.of(), 1));
        added.setSecretKey("new-secret");
        server.then(result(added));

        assertThat(call("user", "add", "bob")).isZero();

        assertThat(out()).contains("not shown again");
        Path file = Files.writeString(home.resolve("bob"), out());
        assertThat(Connection.fromFile(server.uri(), file).accessKey()).isEqualTo("AKNEW");
        assertThat(Connection.fromFile(server.uri(), file).secretKey()).isEqualTo("new-secret");
    }

    @Test
    void noOptionTakesASecret() {
        CommandLine root = Talos.commandLine(Surroundings.ofProcess());

        assertThat(allOptions(root)).noneMatch(name -> name.contains("secret"));
    }

    private static List<String> allOptions(CommandLine command) {
        var names = new ArrayList<String>();
        command.getCommandSpec().options().forEach(option -> names.addAll(List.of(option.names())));
        command.getSubcommands().values().forEach(each -> names.addAll(allOptions(each)));
        return names;
    }

    @Test
    void followingOrAnOffsetNeedsAPartition() {
        assertThat(call("get", "orders", "--follow")).isEqualTo(1);
        assertThat(call("get", "orders", "--offset", "5")).isEqualTo(1);
        assertThat(err.toString()).contains("--follow needs --partition", "--offset N needs --partition");
    }
}
