// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page of docs/tutorials, run from top to bottom in a directory of its own. Confined: a test. */
final class Tutorial {
    static final Path PAGES = Path.of(System.getProperty("talos.root"), "docs/tutorials");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final int LONGEST_SECONDS = 300;
    /** A page that fails in its middle leaves no server behind. */
    private static final String ENDS_ALL = "trap 'kill $(jobs -p) 2> /dev/null || true; wait || true' EXIT\n";

    private final Path directory;

    Tutorial(Path directory) {
        this.directory = directory;
    }

    /**
     * Runs the blocks of a page as one script; all must succeed.
     *
     * @param environment beside that of the tests
     * @return what was printed
     */
    String run(String page, Map<String, String> environment) throws IOException, InterruptedException {
        Launcher.write(directory);
        String blocks = BLOCK.matcher(Files.readString(PAGES.resolve(page + ".md")))
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining("\n"));
        assertThat(blocks).isNotBlank();
        Path script = Files.writeString(directory.resolve(page + ".sh"), ENDS_ALL + blocks);
        Path output = directory.resolve(page + ".out");
        ProcessBuilder bash = Launcher.script(directory, script).redirectOutput(output.toFile());
        bash.environment().putAll(environment);
        Process run = bash.start();
        try {
            assertThat(run.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS))
                    .as(() -> text(output))
                    .isTrue();
        } finally {
            run.descendants().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
        }
        assertThat(run.exitValue()).as(() -> text(output)).isZero();
        return text(output);
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
