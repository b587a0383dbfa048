// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.CheckCommand;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;

/** The short check, with a seed of its own each time, which its output names. The history stays in the report. */
@Timeout(300)
class CheckIT {
    @Test
    void nothingIsFoundWhileEverythingGoesWrong() throws Exception {
        Path root = Path.of(System.getProperty("talos.root"));
        var out = new ByteArrayOutputStream();
        var surroundings = new Surroundings(Map.of(), new ByteArrayInputStream(new byte[0]), both(out), root, false);

        int code = Commands.prepared(new CheckCommand(surroundings)).execute("--short", "--servers", "3");

        String printed = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(printed).isZero();
        assertThat(printed)
                .contains(
                        " s  kill -9 server", " s  rolling restart", "all is mended", "ok   lost write", "ok   stuck");
        Path folder = Path.of(printed.lines().findFirst().orElseThrow().replaceFirst(".*, in ", ""));
        assertThat(Files.readString(folder.resolve("verdict.txt"))).doesNotContain("FAIL ");
        assertThat(Commands.prepared(new CheckCommand(surroundings))
                        .execute("--history", folder.resolve("history.jsonl").toString()))
                .isZero();
    }

    /** What goes wrong is seen while it does. */
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
