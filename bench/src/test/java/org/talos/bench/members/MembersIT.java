// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(180)
class MembersIT {
    @TempDir
    private Path home;

    private BenchRun run(String line) {
        return BenchRun.of(home, ("bench members " + line).split(" "));
    }

    @Test
    void membersStayMembersAndLeaveAReportAndNothingElse() throws IOException {
        BenchRun run = run("--groups 5 --members 4 --partitions 3 --renew 0.2 --look 0.2 --minutes 0.04 --warmup 1"
                + " --server-options -Xmx256m");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains(
                        "joined           20 members",
                        "pass  calls of members that failed: 0.00 (at most 0.00)",
                        "pass  members that are missing, or hold other partitions than theirs: 0.00 (at most 0.00)",
                        "row writes for 100,000 members")
                .doesNotContain("WRONG");
        Path work = home.resolve("bench/target");
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
        try (Stream<Path> reports = Files.list(work.resolve("reports"))) {
            Path report = reports.findFirst().orElseThrow();
            assertThat(Files.readAllLines(report.resolve("figures.csv")))
                    .as("compared, joining, all, looks, renewals, checks of the topic")
                    .hasSize(2 + 6);
            assertThat(run.output()).contains(Files.readString(report.resolve("members.txt")));
        }
    }

    @Test
    void membersThatExpireBetweenTheirRenewalsAreFound() {
        BenchRun run = run("--groups 2 --members 2 --partitions 2 --renew 3 --look 0.1 --minutes 0.1 --warmup 0"
                + " --server-options -Xmx256m --set SERVICE_MEMBERTTL=1s");

        assertThat(run.code()).as(run.output()).isEqualTo(1);
        assertThat(run.output()).contains("WRONG", "FAIL  calls of members that failed");
    }

    @Test
    void moreServersThanMembersAreRefused() {
        BenchRun run = run("--servers 3 --members 2");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).contains("--servers: at most --members and --partitions");
    }
}
