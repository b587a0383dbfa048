// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.CheckCommand;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;

/** The checker while everything goes wrong. The history stays in the report. */
@Timeout(600) // three minutes of faults, and a start and an end that a busy machine makes long
class CheckIT {
    private final Path root = Path.of(System.getProperty("talos.root"));
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final CommandContext context =
            new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), both(out), root, false);

    /** The same fault each time: what is put meanwhile is the seed's. No daemon runs. */
    @Test
    @Tag("full") // long
    @Tag("servers")
    void nothingIsFoundWhenTheServerIsKilled() throws Exception {
        assertThat(nothingIsFound("--local", "--short", "--seconds", "15", "--seed", "16", "--only", "kill -9"))
                .contains(" s  kill -9 server ");
    }

    /** The same with daemons; which of the servers it is, is the seed's, too. */
    @Tag("full") // long
    @Tag("servers")
    @Test
    void nothingIsFoundWhenOneServerOfThreeIsKilled() throws Exception {
        assertThat(nothingIsFound("--short", "--seconds", "20", "--servers", "3", "--seed", "16", "--only", "kill -9"))
                .contains(" s  kill -9 server ");
    }

    /** A seed of its own each time, which its output names. */
    @Tag("full") // long
    @Tag("servers")
    @Test
    void nothingIsFoundWhileEverythingGoesWrong() throws Exception {
        assertThat(nothingIsFound("--short", "--servers", "3", "--zookeepers", "3"))
                .contains(" s  kill -9 server", " s  rolling restart");
    }

    /** Of one server with local storage: what its journals and its deletions have to bear, and no daemon runs. */
    @Tag("full") // long
    @Tag("servers")
    @Test
    void nothingIsFoundWhileTheJournalsOfOneServerFail() throws Exception {
        assertThat(nothingIsFound("--local", "--short", "--only", "journal writes", "--only", "is deleted"))
                .contains("journal writes of server 0 fail", "topics deleted: ", "ok   left behind");
    }

    /** Runs the check, which must find nothing, and returns its output. */
    private String nothingIsFound(String... arguments) throws Exception {
        int code = Commands.prepared(new CheckCommand(context))
                .setErr(new PrintWriter(both(out), true, StandardCharsets.UTF_8))
                .execute(arguments);

        String printed = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(printed).isZero();
        assertThat(printed).contains("all faults are repaired", "ok   lost write", "ok   stuck");
        Path folder = Path.of(printed.lines().findFirst().orElseThrow().replaceFirst(".*, in ", ""));
        assertThat(Files.readString(folder.resolve("verdict.txt"))).doesNotContain("FAIL ");
        assertThat(Commands.prepared(new CheckCommand(context))
                        .execute("--history", folder.resolve("history.jsonl").toString()))
                .isZero();
        return printed;
    }

    /** Returns a stream that also prints to the console, so that a failure is seen while it happens. */
    private static OutputStream both(OutputStream one) {
        return new OutputStream() {
            @Override
            public void write(int each) throws IOException {
                one.write(each);
                System.out.write(each);
            }
        };
    }
}
