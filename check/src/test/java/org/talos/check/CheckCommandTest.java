// SPDX-License-Identifier: Apache-2.0
package org.talos.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import picocli.CommandLine;

@Timeout(30)
class CheckCommandTest {
    private static final String SEND = """
            {"number":0,"process":1,"client":"rest","kind":"SEND","outcome":"%s",\
            "span":{"start":0,"end":5,"wallStart":0,"wallEnd":0},"group":"","identity":"","tries":1,\
            "entries":[{"key":"t/0","offset":-1,"value":"a"}],"marks":[],"note":""}
            """;
    private static final String POLL = """
            {"number":1,"process":2,"client":"thrift","kind":"POLL","outcome":"OK",\
            "span":{"start":6,"end":7,"wallStart":0,"wallEnd":0},"group":"","identity":"","tries":1,\
            "entries":[{"key":"t/0","offset":0,"value":"a"}],"marks":[{"key":"t/0","from":0,"to":1}],"note":""}
            """;

    private record Run(int code, String output) {}

    @TempDir
    private Path home;

    private Run check(String history) throws Exception {
        Path file = Files.writeString(home.resolve("history.jsonl"), history);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter errors = new StringWriter();
        CommandContext context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        CommandLine command = Commands.prepared(new CheckCommand(context)).setErr(new PrintWriter(errors));
        int code = command.execute("--history", file.toString());
        return new Run(code, out.toString(StandardCharsets.UTF_8) + errors);
    }

    @Test
    void aHistoryWithoutFaultEndsWithZero() throws Exception {
        Run run = check(String.format(Locale.ROOT, SEND, "OK") + POLL);

        assertThat(run.output()).contains("ok   lost write").doesNotContain("FAIL ");
        assertThat(run.code()).isZero();
    }

    @Test
    void aHistoryWithAFaultShowsItAndEndsWithOne() throws Exception {
        Run run = check(String.format(Locale.ROOT, SEND, "FAIL") + POLL);

        assertThat(run.output())
                .contains("FAIL aborted read", "process 1 rest SEND FAIL t/0@-1=a", "process 2 thrift POLL OK");
        assertThat(run.code()).isEqualTo(1);
    }

    @Test
    void aFileThatIsNoHistoryIsNamed() throws Exception {
        Run run = check(String.format(Locale.ROOT, SEND, "OK") + "nonsense\n");

        assertThat(run.output()).contains("history.jsonl, line 2 is no operation of a history");
        assertThat(run.code()).isEqualTo(1);
    }

    @Test
    void storageOfOneDiskIsForOneServer() throws Exception {
        StringWriter errors = new StringWriter();
        CommandContext context = new CommandContext(
                Map.of(), new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), home, false);
        CommandLine command = Commands.prepared(new CheckCommand(context)).setErr(new PrintWriter(errors));

        assertThat(command.execute("--local", "--servers", "3")).isEqualTo(2);
        assertThat(errors.toString()).contains("--servers, --zookeepers, --local: servers: 3");
    }

    @Test
    void passwordsForZooKeeperAreForSeveralServers() {
        StringWriter errors = new StringWriter();
        CommandContext context = new CommandContext(
                Map.of(), new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), home, false);
        CommandLine command = Commands.prepared(new CheckCommand(context)).setErr(new PrintWriter(errors));

        assertThat(command.execute("--sasl")).isEqualTo(2);
        assertThat(errors.toString()).contains("sasl, servers: 1 (expected: 2 or more)");
    }
}
