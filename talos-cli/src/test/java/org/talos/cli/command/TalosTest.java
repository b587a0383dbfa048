// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandContext;
import org.talos.cli.Connection;
import org.talos.client.ScriptedServer;
import org.talos.thrift.AddUserResponse;
import org.talos.thrift.CheckGranteeResponse;
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
        var context = new CommandContext(environment, new ByteArrayInputStream(new byte[0]), out, home, false);
        CommandLine command = Talos.commandLine(context, Map.of(), arguments);
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
                "topic create a/b",
                "topic create a --partitions x",
                "topic create a --retention 1y",
                "topic grant a bob everything",
                "put",
                "put a b --compression RAR",
                "get",
                "get a --offset -3",
                "get a --offset first",
                "get a --follow --to 5",
                "get a --to 5",
                "get a --to latest",
                "get a --from 5",
                "get a --count 0",
                "get a --format xml",
                "get a --format raw --offsets",
                "get a --template %v --format raw",
                "get a --template %v --offsets",
                "get a --group g --partition 1",
                "get a --group g --to 1h",
                "get a --group g --from last",
                "get a --ignore-case",
                "get a --grep-key (",
                "put a b --key-separator :",
                "put a --format ndjson --key-separator :",
                "put a b --file c",
                "put a b --format ndjson",
                "put a --format raw",
                "put a --format ndjson --empty-lines",
                "put a b --empty-lines",
                "topic alter a",
                "topic list -o xml",
                "group",
                "group reset a g",
                "group reset a g --to nowhere",
                "group describe a",
                "group grant a g ann",
                "group grant a g ann all",
                "completion csh",
                "user",
                "user add",
                "quota set --puts 3",
                "quota set --user a --topic b",
                "quota set --topic b --topics 3",
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
                "group reset --help",
                "user add --help"
            })
    void helpIsNoFailure(String line) {
        assertThat(call(line.split(" "))).isZero();
        assertThat(help.toString()).contains("talos");
        assertThat(err.toString()).isEmpty();
    }

    /** Of those who come from another queue. */
    @Test
    void helpOfANewTopicSaysWhatSurprises() {
        call("topic", "create", "--help");

        assertThat(help.toString().replaceAll("\\s+", " "))
                .contains(
                        "1 to 80 letters, digits, - and _, no dots",
                        "1 to 256; a topic can grow later, and not shrink. Default: 8",
                        "1h to 365d; older ones are deleted. Default: 1d");
    }

    @Test
    void exitCodesAreDocumented() {
        call("--help");

        assertThat(help.toString())
                .contains(
                        "Exit codes",
                        "0   done",
                        "1   failed",
                        "2   wrong usage",
                        "3   a topic",
                        "4   no answer",
                        "5   a part");
    }

    @ParameterizedTest
    @CsvSource({
        "PERMISSION_DENIED_ERROR, 1",
        "TOPIC_EXIST, 1",
        "TOPIC_NOT_EXIST, 3",
        "CONSUMER_NOT_EXIST, 3",
        "QUOTA_NOT_EXIST, 3",
        "HBASE_OPERATION_FAILED, 4"
    })
    void failureIsOneLineAndItsExitCodeAndPerhapsWhatToDo(ErrorCode code, int exitCode) {
        server.then(error(code, "because"));

        assertThat(call("topic", "create", "orders")).isEqualTo(exitCode);
        List<String> lines = err.toString().lines().toList();
        assertThat(lines.get(0))
                .startsWith("talos: " + code + ": because")
                .satisfies(line ->
                        assertThat(line.endsWith("(it may have happened)")).isEqualTo(exitCode == 4));
        assertThat(lines.subList(1, lines.size())).hasSizeLessThan(2).allMatch(line -> line.startsWith("Next: "));
    }

    @Test
    void whoFindsNoServerIsToldHowToStartOrNameOne() {
        int code = run(
                Map.of("TALOS_ACCESS_KEY", "AK", "TALOS_SECRET_KEY", "secret"),
                "topic",
                "list",
                "--endpoint",
                "http://127.0.0.1:1");

        assertThat(code).isEqualTo(1);
        assertThat(err.toString()).contains("CONNECTION: no server at http://127.0.0.1:1", "Next: ", "talos server");
    }

    @Test
    void whoNamesAnUnknownHostIsToldThatAtOnce() {
        int code = run(
                Map.of("TALOS_ACCESS_KEY", "AK", "TALOS_SECRET_KEY", "secret"),
                "topic",
                "list",
                "--endpoint",
                "http://no-such-host.invalid:1");

        assertThat(code).isEqualTo(1);
        assertThat(err.toString())
                .contains("the host of http://no-such-host.invalid:1 is unknown", "Next: ", "--endpoint URL")
                .doesNotContain("start a server");
    }

    /** Checks that no repetition is advised after an unknown outcome: first find out whether it happened. */
    @Test
    void nothingIsAdvisedWhereItMayHaveHappened() {
        server.then(error(ErrorCode.HBASE_OPERATION_FAILED, "because"));

        call("topic", "create", "orders");

        assertThat(err.toString()).doesNotContain("Next");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "topc list              | 'topc' is not a command; did you mean topic?",
                "gropu list             | 'gropu' is not a command; did you mean group?",
                "xyzzy                  | 'xyzzy' is not a command",
                "topic lst              | 'lst' is not a command of 'talos topic'; did you mean list?",
                "topic                  | a command is missing after 'talos topic' (expected: ",
                "topic create a --partitons 3 | '--partitons' is not an option of 'talos topic create'; "
                        + "did you mean --partitions?",
                "topic create a b       | 'b' is one argument too many for 'talos topic create'",
                "topic create a --partitions x | 'x' is not a whole number",
                "topic create a/b       | 'a' before the slash is an org, and the name of an org begins with CL",
                "topic list -o yaml     | --output: 'yaml' (expected: text, json)",
                "put a b --compression rar | --compression: 'rar' (expected: NONE, SNAPPY, GZIP, ZSTD, LZ4)",
                "topic grant a bob everything | everything' (expected: put, get, all)",
                "get a --from tomorrow  | 'tomorrow' is not a position (expected: an offset, earliest, latest, last, a time",
                "get a --from tomorrow  | option '--from'",
                "tail a --from tomorrow | option '--from'",
                "group reset a g --to x | option '--to'",
                "group reset a g --to last | --to last (expected: earliest, latest, an offset or a time)",
                "consume a              | 'consume' is not a command; did you mean get?",
                "produce a b            | 'produce' is not a command; did you mean put?",
                "rm a                   | 'rm' is not a command; did you mean topic delete?",
                "purge a                | 'purge' is not a command; did you mean topic empty?",
                "topic truncate a       | 'truncate' is not a command of 'talos topic'; did you mean empty?",
                "ls                     | 'ls' is not a command; did you mean topic list?",
                "topic rm a             | 'rm' is not a command of 'talos topic'; did you mean delete?",
                "user delete a          | 'delete' is not a command of 'talos user'; did you mean remove?",
                "user create a          | 'create' is not a command of 'talos user'; did you mean add?",
                "quota get              | 'get' is not a command of 'talos quota'; did you mean show?",
                "get a --from-beginning | '--from-beginning' is not an option of 'talos get'; did you mean --from earliest?",
                "get a --max-messages=3 | is not an option of 'talos get'; did you mean --count?",
                "put a --bootstrap-server h:1 | '--bootstrap-server' is not an option of 'talos put'; did you mean --endpoint?",
                "get a --template %q    | --template: '%q' is not a field (expected: %v %k ",
                "get a --template \\q    | '\\q' is unknown (expected: \\n, ",
                "put a --header color   | 'color' is not a header (expected: NAME:VALUE)",
                "get a --partition 0 --grep (a | '(a' is not a regular expression of RE2: ",
            })
    void wrongArgumentsAreToldWithWhatIsRight(String line, String sentence) {
        assertThat(call(line.strip().split(" +"))).isEqualTo(2);

        assertThat(err.toString()).contains(sentence).doesNotContain("[TEXT", "case-insensitive");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-o json", "-ojson", "-o=JSON", "--output json", "--output=json"})
    void failureIsOneObjectForWhoWantsJson(String option) {
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThat(call(("topic describe orders " + option).split(" "))).isEqualTo(1);
        assertThat(call(("topic describe orders --nonsense " + option).split(" ")))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "{\"message\":\"THROTTLE_REJECT_ERROR: too many\",\"code\":\"THROTTLE_REJECT_ERROR\","
                                + "\"outcome\":\"did-not-happen\",\"retryable\":true,\"exitCode\":1}",
                        "{\"message\":\"'--nonsense' is not an option of 'talos topic describe'\",\"exitCode\":2}");
        assertThat(out()).isEmpty();
    }

    @Test
    void changeThatIsNotAnsweredHasUnknownOutcome() {
        server.then((exchange, body) -> exchange.close());

        assertThat(call("user", "remove", "bob", "--yes", "-o", "json")).isEqualTo(4);
        assertThat(err.toString()).contains("\"code\":\"CONNECTION\",\"outcome\":\"unknown\"");
    }

    @Test
    void listIsOneJsonDocument() {
        server.then(result(new ListUsersResponse(List.of(new User("bob", "AK1", false, List.of(), List.of(), 1)))));

        assertThat(call("user", "list", "-o", "json")).isZero();
        assertThat(out()).isEqualTo("{\"users\":[{\"user\":\"bob\",\"accessKey\":\"AK1\",\"admin\":false}]}\n");
    }

    @Test
    void grantToAnIdentifierThatNobodyHasIsPrintedWithTheWarning() {
        CheckGranteeResponse check = new CheckGranteeResponse();
        check.setWarning("nobody has AK1");
        server.then(ScriptedCommand.topic(1));
        server.then(ScriptedServer.done());
        server.then(result(check));

        assertThat(call("topic", "grant", "orders", "AK1", "put"))
                .as(err.toString())
                .isZero();

        assertThat(out()).isEqualTo("granted\nwarning: nobody has AK1\n");
    }

    @Test
    void grantByAServerThatDoesNotCheckGranteesHasNoWarning() {
        server.then(ScriptedCommand.topic(1));
        server.then(ScriptedServer.done());
        server.then(error(ErrorCode.INVALID_NAME_ERROR, "unknown call"));

        assertThat(call("topic", "grant", "orders", "bob", "put"))
                .as(err.toString())
                .isZero();

        assertThat(out()).isEqualTo("granted\n");
    }

    @Test
    void verboseFailureHasItsTrace() {
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "no topic orders"));

        assertThat(call("topic", "describe", "orders", "-v")).isEqualTo(3);
        assertThat(err.toString()).contains("talos: TOPIC_NOT_EXIST", "org.talos.client.FailureMapping");
    }

    @Test
    void missingCredentialsFailWithTheWaysToGiveThem() {
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
    void credentialsComeFromTheDataDirectoryThatTheEnvironmentNames() throws IOException {
        server.then(result(new ListUsersResponse(List.of())));
        Files.writeString(home.resolve("admin.credentials"), "accessKey=AKELSEWHERE\nsecretKey=s\n");
        Map<String, String> environment = Map.of("TALOS_DATADIRECTORY", home.toString());

        assertThat(run(environment, "user", "list", "--endpoint", server.uri().toString()))
                .as(err.toString())
                .isZero();
        assertThat(server.asked().get(0).header("Authorization")).startsWith("Galaxy-V3 AKELSEWHERE:");
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
    void nextEndpointIsCalledWhenOneIsUnreachable() {
        server.then(result(new ListUsersResponse(List.of())));

        assertThat(call("user", "list", "--endpoint", "http://127.0.0.1:1," + server.uri()))
                .isZero();
        assertThat(call("user", "list", "--endpoint", "http://127.0.0.1:1")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1:8080         | endpoint 127.0.0.1:8080: http:// or https:// is missing",
                "localhost              | http:// or https:// is missing (expected: one like http://127.0.0.1:8080)",
                "http://my_host:8080    | the host name my_host has an underscore",
                "http://me:Sesame@h     | endpoint http://***@h: a user or password does not belong there",
                "http://me:S^Sesame@h   | endpoint http://***@h: no URL",
            })
    void invalidEndpointIsRefusedWithTheReason(String endpoint, String reason) {
        assertThat(call("topic", "list", "-v", "--endpoint", "http://127.0.0.1:1," + endpoint))
                .isEqualTo(1);
        assertThat(run(Map.of("TALOS_ENDPOINT", endpoint), "topic", "list")).isEqualTo(1);

        assertThat(err.toString()).contains(reason).doesNotContain("Sesame");
    }

    @Test
    void endpointMayBeBelowAPathAndItsSchemeInCapitals() {
        server.then(result(new ListUsersResponse(List.of())));
        String endpoint = server.uri().toString().replace("http", "HTTP") + "/queue/";

        assertThat(call("user", "list", "--endpoint", endpoint))
                .as(err.toString())
                .isZero();

        assertThat(server.asked().get(0).uri()).startsWith("/queue/v1/api/admin?");
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
    void newUserMayBringAKeyInAFile() throws Exception {
        var added = new AddUserResponse();
        added.setUser(new User("bob", "APP-1", false, List.of(), List.of(), 1));
        added.setSecretKey("brought-along");
        server.then(result(added));
        Path file = Files.writeString(home.resolve("key"), "accessKey=APP-1\nsecretKey=brought-along\n");

        assertThat(call("user", "add", "bob", "--own-key", file.toString()))
                .as(err.toString())
                .isZero();

        byte[] asked = server.asked().get(0).body();
        assertThat(new String(asked, StandardCharsets.ISO_8859_1)).contains("APP-1", "brought-along");
        assertThat(call(
                        "user",
                        "add",
                        "bob",
                        "--own-key",
                        home.resolve("missing").toString()))
                .isEqualTo(1);
    }

    @Test
    void noOptionTakesASecret() {
        CommandLine root = Talos.commandLine(CommandContext.ofProcess());

        assertThat(allOptions(root)).noneMatch(name -> name.contains("secret"));
    }

    private static List<String> allOptions(CommandLine command) {
        var names = new ArrayList<String>();
        command.getCommandSpec().options().forEach(option -> names.addAll(List.of(option.names())));
        command.getSubcommands().values().forEach(each -> names.addAll(allOptions(each)));
        return names;
    }
}
