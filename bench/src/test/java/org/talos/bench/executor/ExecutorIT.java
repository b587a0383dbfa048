// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class ExecutorIT {
    @TempDir
    Path home;

    private String run(String command, String line) {
        return BenchRun.of(home, ("bench " + command + " " + line).split(" ")).good();
    }

    private List<String> written(String file) throws IOException {
        return Files.readAllLines(BenchRun.report(home).resolve(file));
    }

    @Test
    void everyModelAnswersAllRequestsAndBothClaimsAreMade() throws IOException {
        String text =
                run("blocking", "--threads 3 --connections 2 --in-flight 5 --warmup 0.2 --seconds 0.3 --rounds 2");

        assertThat(text)
                .contains("3 threads, io", "3 threads, plain", "3 threads, hash", "3 threads, affinity")
                .contains("distinct workers", "blocked us");
        assertThat(written("claims.txt"))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("QPS of affinity against the plain pool, 3 threads"))
                .anySatisfy(line -> assertThat(line).contains("P999 of affinity against the plain pool, 3 threads"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_24) // virtual workers
    void asManyWorkersAsThereAreByDefaultAreMeasuredBesideEachNumber() throws IOException {
        String text = run(
                "blocking",
                "--virtual --models plain,auto --threads 20 --connections 2 --in-flight 30 --warmup 0.2 --seconds 0.3"
                        + " --rounds 2");

        assertThat(text).contains("20 threads, plain", "20 threads, auto").doesNotContain("20 threads, io");
        assertThat(written("claims.txt"))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("QPS of auto against the plain pool, 20 threads"))
                .anySatisfy(line -> assertThat(line).contains("P999 of auto against the plain pool, 20 threads"));
    }

    @Test
    void asManyWorkersAsThereAreByDefaultAreRefusedWhereTheyAreThreadsOfTheKernel() {
        BenchRun run = BenchRun.of(home, "bench blocking --models plain,auto".split(" "));

        assertThat(run.code()).isEqualTo(2);
    }

    @Test
    void eachNumberOfWorkersIsMeasuredWithBothPolicies() throws IOException {
        String text =
                run("threads", "--workers 2,6 --keys 6 --median-ms 1 --p99-ms 3 --warmup 0.1 --seconds 0.3 --rounds 2");

        assertThat(text)
                .contains("2 workers, hash", "2 workers, affinity", "6 workers, hash", "6 workers, affinity")
                .contains("queue wait ms P999");
        assertThat(written("claims.txt"))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).contains("6 workers"));
    }
}
