// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands where no native library can be unpacked, as where /tmp is mounted with noexec. */
@Timeout(120)
class NoTemporaryFilesIT {
    @TempDir
    private Path directory;

    @Test
    void messagesArePutAndGotWithoutANativeLibrary() throws Exception {
        Launcher.write(directory);
        Path output = directory.resolve("script.out");
        Path script = Files.writeString(directory.resolve("script.sh"), """
                bin/talos topic create orders
                bin/talos put orders 'hello from here'
                bin/talos get orders
                """);
        try (CommandFixture server = new CommandFixture(directory)) {
            ProcessBuilder bash = Launcher.script(directory, script).redirectOutput(output.toFile());
            bash.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + directory.resolve("missing"));
            bash.environment().put("TALOS_ENDPOINT", server.uri().toString());
            Process run = bash.start();
            try {
                assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
            } finally {
                run.descendants().forEach(ProcessHandle::destroyForcibly);
                run.destroyForcibly();
            }
        }

        String said = Files.readString(output);
        assertThat(said).contains("cannot load the library of zstd", "-Djava.io.tmpdir");
        assertThat(said.lines()).contains("hello from here");
    }
}
