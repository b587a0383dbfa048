// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClientProgramTest {
    @TempDir
    private Path folder;

    private Layout layout;

    /** Says what it was given; with nothing it never ends, with two it fails. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws InterruptedException {
            if (arguments.length == 0) {
                new CountDownLatch(1).await();
            }
            System.out.println(String.join(" ", arguments));
            if (arguments.length > 1) {
                throw new IllegalStateException("too many");
            }
        }
    }

    @BeforeEach
    void layOut() throws IOException, URISyntaxException {
        Path classes = Path.of(Program.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Files.createSymbolicLink(folder.resolve("classes"), classes);
        Files.createDirectories(folder.resolve("run"));
        layout = new Layout(folder, folder);
    }

    private String run(Waits.Condition worthwhile, String... arguments) throws IOException, InterruptedException {
        return ClientProgram.run(layout, Program.class.getName(), List.of(arguments), worthwhile);
    }

    @Test
    void whatItPrintsIsTheAnswer() throws Exception {
        assertThat(run(() -> true, "word")).isEqualTo("word");
        assertThat(folder.resolve("run")).isEmptyDirectory();
    }

    @Test
    void errorContainsWhatItPrinted() {
        assertThatThrownBy(() -> run(() -> true, "one", "two"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ended with 1: one two")
                .hasMessageContaining("too many");
    }

    @Test
    void oneThatCanNotSucceedAnyMoreIsEnded() {
        assertThatThrownBy(() -> run(() -> false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("waited for what has ended");
        assertThat(folder.resolve("run")).isEmptyDirectory();
    }
}
