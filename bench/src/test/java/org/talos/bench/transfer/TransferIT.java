// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class TransferIT {
    @TempDir
    Path home;

    @Test
    void forwardingIsMeasuredBesideAPutAndASlowServerWithEachKindOfPools() throws IOException {
        String line = "--alone --warmup 0.5 --seconds 0.5 --rounds 1 --in-flight 2 --slow-in-flight 60";

        String text = BenchRun.of(home, ("bench transfer " + line).split(" ")).good();

        assertThat(text)
                .contains("straight, local store", "the hop alone", "the hop alone, a pool", "processor us")
                .contains(
                        "one connection for each, one slow",
                        "a pool for each, one slow",
                        "one pool for all, none slow");
        assertThat(Files.readAllLines(BenchRun.report(home).resolve("claims.txt")))
                .hasSize(5)
                .noneMatch(claim -> claim.contains("not measured"));
    }
}
