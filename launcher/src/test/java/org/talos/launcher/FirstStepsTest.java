// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.cli.CommandContext;

/** Checks that the script without arguments names commands that exist. */
@Timeout(30)
class FirstStepsTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final CommandContext CONTEXT = new CommandContext(
            Map.of(), InputStream.nullInputStream(), OutputStream.nullOutputStream(), Path.of("none"), false);

    @Test
    void everyExampleIsACommandLineThatIsUnderstood() throws Exception {
        Process talos = new ProcessBuilder("bash", ROOT.resolve("bin/talos").toString()).start();
        String said = new String(talos.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(talos.waitFor()).isZero();

        List<String> examples = Pattern.compile("(?<=/talos )[a-z].*?(?= {2}|$)", Pattern.MULTILINE)
                .matcher(said)
                .results()
                .map(found -> found.group().replace("'first order'", "first"))
                .toList();

        assertThat(examples).hasSize(7).contains("server", "topic create orders", "quickstart --once");
        for (String example : examples) {
            String[] arguments = example.split(" ");
            assertThat(Main.commandLine(CONTEXT, arguments).parseArgs(arguments).hasSubcommand())
                    .as(example)
                    .isTrue();
        }
    }

    /** Before a build nothing else knows them. */
    @Test
    void scriptKnowsEveryCommand() throws Exception {
        String script = Files.readString(ROOT.resolve("bin/talos"));
        String known = Pattern.compile("(?s)\\ncommands=\\((.*?)\\)")
                .matcher(script)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);

        assertThat(known.strip().split("\\s+"))
                .containsExactlyInAnyOrderElementsOf(
                        Main.commandLine(CONTEXT).getSubcommands().keySet());
    }
}
