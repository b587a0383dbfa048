// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first steps of a new user, on machines with other digits, letters, calendars, and time zones. */
@Timeout(180)
class LocalesIT {
    private static final int LONGEST_SECONDS = 150;
    private static final Pattern OTHER_DIGIT = Pattern.compile("[\\p{Nd}&&[^0-9]]");

    @TempDir
    private Path directory;

    private String run(String script, String options) throws IOException, InterruptedException {
        Launcher.write(directory);
        Path file = Files.writeString(directory.resolve("script.sh"), script);
        Path output = directory.resolve("script.out");
        ProcessBuilder bash = Launcher.script(directory, file).redirectOutput(output.toFile());
        bash.environment().put("JAVA_TOOL_OPTIONS", options);
        Process run = bash.start();
        try {
            assertThat(run.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            run.descendants().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
        }
        String said = Files.readString(output);
        assertThat(run.exitValue()).as(said).isZero();
        return said;
    }

    @ParameterizedTest
    @CsvSource({"ar, EG, Asia/Kathmandu", "fa, IR, Asia/Tehran", "tr, TR, Pacific/Chatham", "th, TH, America/St_Johns"})
    @Tag("full") // processes
    @Tag("servers")
    void quickStartBackupRestoreAndDoctorWorkInEachLocale(String language, String country, String zone)
            throws Exception {
        String said = run(
                """
                bin/talos quickstart --once --messages 200 --data data
                bin/talos doctor --local --data data
                bin/talos backup --data data --to copy
                mv data gone
                bin/talos restore --from copy --data data
                bin/talos doctor --local --full --data data
                bin/talos quickstart --once --messages 200 --data data
                find data
                # What was written in one locale is read in another.
                unset JAVA_TOOL_OPTIONS
                bin/talos doctor --local --data data
                """,
                String.join(
                        " ", "-Duser.language=" + language, "-Duser.country=" + country, "-Duser.timezone=" + zone));

        assertThat(said.split("all 200 messages came back", -1)).as(said).hasSize(3);
        assertThat(said).doesNotContainPattern(OTHER_DIGIT);
    }
}
