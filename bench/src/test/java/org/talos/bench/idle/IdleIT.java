// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class IdleIT {
    @TempDir
    Path home;

    @Test
    void manyWaitOnFewThreadsAndEachReceivesItsMessage() {
        var out = new ByteArrayOutputStream();
        var surroundings = new Surroundings(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        String line = "--connections 500 --alone 5 --seconds 1 --server-options -Xmx128m";

        int code = Commands.prepared(new IdleCommand(surroundings)).execute(line.split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        assertThat(text)
                .contains(
                        "500 in long poll, 0 failed",
                        "requests         0 while they wait",
                        "of 5, each alone",
                        "of 495, all woken by one put")
                .doesNotContain("WRONG");
    }
}
