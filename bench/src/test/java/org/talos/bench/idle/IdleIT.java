// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.cli.CommandContext;

@Tag("full") // measures
@Tag("bench")
@Timeout(180)
class IdleIT {
    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @ParameterizedTest
    @EnumSource(Kind.class)
    void manyWaitOnFewThreadsAndEachReceivesItsMessage(Kind kind) {
        manyWait(kind, "--server-options -Xmx128m");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void manyWaitUnderTls(Kind kind) throws IOException {
        manyWait(kind, "--server-options -Xmx256m --tls");

        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left).noneMatch(each -> each.toString().endsWith(".p12"));
        }
    }

    private void manyWait(Kind kind, String more) {
        String line = "--connections 500 --alone 5 --wakes 20 --seconds 1 --kind " + kind + " " + more;

        int code = run(line.split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        assertThat(text)
                .contains(
                        "500 " + kind.described() + ", 0 failed",
                        "requests         0 while they wait",
                        "of 20\n",
                        "of 495;",
                        "nothing of them is open")
                .doesNotContain("WRONG");
    }

    @Test
    void moreThanTheMachineAllowsIsRefusedBeforeAnythingIsOpened() {
        int code = run("--connections", "2000000000");

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).isNotZero();
        assertThat(text).contains("open files of each", "raise it with: ulimit -n 2000001000");
        assertThat(home.resolve("bench")).doesNotExist();
    }

    private int run(String... arguments) {
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        return new IdleCommand(context).commandLine().execute(arguments);
    }
}
