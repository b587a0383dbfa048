// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.command.Talos;
import picocli.CommandLine;

/** The commands of docs/cli.md, as a reader would paste them. Needs bash. */
@Timeout(400)
class CliPageIT {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final Pattern COMMAND = Pattern.compile("bin/talos ([a-z]+(?: [a-z][a-z-]*)?)");

    @TempDir
    private Path directory;

    private static List<String> blocks() throws Exception {
        Path page = Path.of(System.getProperty("talos.root"), "docs/cli.md");
        return BLOCK.matcher(Files.readString(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void everyCommandHasAnExample() throws Exception {
        Set<String> shown = COMMAND.matcher(String.join("\n", blocks()))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> missing = new TreeSet<>();
        CommandLine root = Talos.commandLine(CommandContext.ofProcess());
        root.getSubcommands().forEach((name, command) -> {
            Set<String> parts = command.getSubcommands().keySet();
            if (parts.isEmpty() && shown.stream().noneMatch(each -> each.startsWith(name))) {
                missing.add(name);
            }
            parts.stream()
                    .map(part -> name + " " + part)
                    .filter(each -> !shown.contains(each))
                    .forEach(missing::add);
        });

        assertThat(missing).containsExactly("help");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void everyCommandOfThePageSucceeds() throws Exception {
        Launcher.write(directory);
        Path script = Files.writeString(directory.resolve("page.sh"), String.join("\n", blocks()));

        try (CommandFixture server = new CommandFixture(directory)) {
            ProcessBuilder bash = Launcher.script(directory, script);
            bash.environment().put("TALOS_ENDPOINT", server.uri().toString());
            Process run = bash.start();
            String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as(output).isZero();
            assertThat(output)
                    .contains(
                            "put 1000 messages to orders, partition 1\n",
                            "1\t999\t1000\n",
                            "\"name\":\"orders\"",
                            "shipping\n",
                            "nothing is changed yet",
                            "\"preview\":false",
                            "\"value\":",
                            "\"code\":\"TOPIC_NOT_EXIST\"",
                            "deleted orders\n");
            assertThat(directory.resolve("copy.txt")).hasSameBinaryContentAs(directory.resolve("letter.txt"));
        }
    }
}
