// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class ExecutorIT {
    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String run(Function<CommandContext, Callable<Integer>> command, String line) {
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        int code = Commands.prepared(command.apply(context)).execute(line.split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        return text;
    }

    private List<String> written(String file) throws IOException {
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            return Files.readAllLines(reports.findFirst().orElseThrow().resolve(file));
        }
    }

    @Test
    void everyModelAnswersAllRequestsAndBothClaimsAreMade() throws IOException {
        String text = run(
                BlockingCommand::new,
                "--threads 3 --connections 2 --in-flight 5 --warmup 0.2 --seconds 0.3 --rounds 2");

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
                BlockingCommand::new,
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
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        int code = Commands.prepared(new BlockingCommand(context)).execute("--models", "plain,auto");

        assertThat(code).isEqualTo(2);
    }

    @Test
    void eachNumberOfWorkersIsMeasuredWithBothPolicies() throws IOException {
        String text = run(
                ThreadsCommand::new,
                "--workers 2,6 --keys 6 --median-ms 1 --p99-ms 3 --warmup 0.1 --seconds 0.3 --rounds 2");

        assertThat(text)
                .contains("2 workers, hash", "2 workers, affinity", "6 workers, hash", "6 workers, affinity")
                .contains("queue wait ms P999");
        assertThat(written("claims.txt"))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).contains("6 workers"));
    }
}
