// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;
import org.talos.check.history.Recorder;
import org.talos.check.verdict.Verdict;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;

/** The clients of the checker against a server without faults. */
@Timeout(120)
class WorkloadTest {
    private static final int PARTITIONS = 2;
    private static final int ENOUGH = 5;
    /** Time after which partitions of a closed SDK member are reassigned; the last reads wait for that. */
    private static final Duration MEMBER_TTL = Duration.ofSeconds(3);

    private static final Workload.Times TIMES = new Workload.Times(MEMBER_TTL, Duration.ZERO);

    @TempDir
    private Path folder;

    /** Runs all clients until each kind of operation was done often enough, then the last reads. */
    private List<Operation> history(Map<String, String> settings, Predicate<List<Operation>> enough) throws Exception {
        Map<String, String> all = new HashMap<>(Map.of(
                "TALOS_DATADIRECTORY", folder.resolve("data").toString(),
                "TALOS_HTTP_HOST", "127.0.0.1",
                "TALOS_HTTP_PORT", "0",
                "TALOS_MANAGEMENT_PORT", "0",
                "TALOS_SERVICE_MEMBERTTL", MEMBER_TTL.toSeconds() + "s",
                "TALOS_SERVICE_PARTITIONCHANGEINTERVAL", "0s",
                "TALOS_SERVICE_MAXLONGPOLL", "100ms"));
        all.putAll(settings);
        try (TalosServer server = TalosServer.start(ConfigLoader.load(all));
                Recorder recorder = new Recorder(folder.resolve("history.jsonl"))) {
            TalosEndpoint endpoint = Connection.fromFile(
                    URI.create("http://127.0.0.1:" + server.port()), folder.resolve("data/admin.credentials"));
            try (Workload workload = new Workload(recorder, List.of(endpoint), PARTITIONS, TIMES, 1)) {
                workload.start(2, 1, 1);
                Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> enough.test(recorder.operations()));
                workload.finish(40);
            }
            return recorder.operations();
        }
    }

    private static long count(List<Operation> operations, Kind kind, String means, String group) {
        return operations.stream()
                .filter(each -> each.kind() == kind
                        && each.client().equals(means)
                        && each.group().equals(group))
                .filter(each ->
                        each.ok() && (!each.entries().isEmpty() || !each.marks().isEmpty()))
                .count();
    }

    private static boolean allDo(List<Operation> operations) {
        for (String means : Set.of("rest", "thrift", "stream")) {
            if (count(operations, Kind.SEND, means, "") < ENOUGH
                    || count(operations, Kind.POLL, means, "") < ENOUGH
                    || count(operations, Kind.COMMIT, means, "readers") < ENOUGH) {
                return false;
            }
        }
        for (String means : Set.of("pipelined", "producer")) {
            if (count(operations, Kind.SEND, means, "") < ENOUGH) {
                return false;
            }
        }
        return operations.stream().anyMatch(each -> each.kind() == Kind.DELETE && each.ok()) && grows(operations);
    }

    /** The first of the growing topics has grown, and its group has read some of it. */
    private static boolean grows(List<Operation> operations) {
        return count(operations, Kind.COMMIT, "rest", "late-0") >= ENOUGH
                && operations.stream()
                                .filter(each -> each.kind() == Kind.CREATE)
                                .flatMap(each -> each.marks().stream())
                                .filter(mark -> mark.key().contains("#growing-0#"))
                                .count()
                        > PARTITIONS + 1;
    }

    @Test
    void clientsOfAllKindsFindNothingWrongWithAServerThatIsWell() throws Exception {
        List<Operation> history = history(Map.of(), WorkloadTest::allDo);

        Verdict verdict = Verdict.of(history);
        assertThat(verdict.failed()).as(String.join("\n", verdict.lines())).isEmpty();
        List<Operation> drains =
                history.stream().filter(each -> each.kind() == Kind.DRAIN).toList();
        assertThat(drains)
                .filteredOn(each -> each.marks().get(0).key().startsWith("checked/"))
                .hasSize(4);
        assertThat(drains).filteredOn(each -> each.group().equals("late-0")).hasSize(1);
        assertThat(count(history, Kind.OFFSETS, "rest", "")).isPositive();
        assertThat(count(history, Kind.COMMITTED, "rest", "readers")).isPositive();
    }

    @Test
    void aServerThatRemembersNoPutIsFoundOut() throws Exception {
        List<Operation> history = history(
                Map.of("TALOS_LOG_DEDUPEWINDOW", "0"),
                operations -> operations.stream()
                                .filter(Operation::ok)
                                .map(Operation::identity)
                                .filter(each -> !each.isEmpty())
                                .distinct()
                                .count()
                        < operations.stream()
                                .filter(each -> each.ok() && each.kind() == Kind.SEND)
                                .count());

        assertThat(Verdict.of(history).failed()).contains("duplicate");
    }
}
