// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.FreePorts;

/**
 * The tutorials, as a reader would paste them, against a real server. Need bash and curl; those in Python are skipped
 * without python3.
 */
@Timeout(400)
class TutorialsIT {
    /** Those that need Kafka or a cluster are run by the module integration. */
    private static final List<String> RUN_ELSEWHERE = List.of("from-kafka.md", "three-servers.md");

    private static final List<String> RUN_HERE = List.of(
            "alerts.md",
            "backup.md",
            "exactly-once.md",
            "first-topic.md",
            "from-sqs.md",
            "groups.md",
            "python-pipeline.md");

    @TempDir
    private Path directory;

    private static void assumePython() throws IOException, InterruptedException {
        boolean there;
        try {
            Process asked =
                    new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))").start();
            there = asked.waitFor(30, TimeUnit.SECONDS) && asked.exitValue() == 0;
        } catch (IOException e) {
            there = false;
        }
        assumeTrue(there, "there is no python3 of version 3.8 or newer: the page is not run");
    }

    /** Runs a page for whose reader a server runs. */
    private String onServer(String page, Map<String, String> more) throws Exception {
        try (CommandFixture server = new CommandFixture(directory)) {
            Map<String, String> environment = new HashMap<>(more);
            environment.put("TALOS_ENDPOINT", server.uri().toString());
            environment.put("TALOS_MANAGEMENT", server.managementUri().toString());
            return new Tutorial(directory).run(page, environment);
        }
    }

    @Test
    void everyTutorialIsRunByATest() throws Exception {
        try (Stream<Path> pages = Files.list(Tutorial.PAGES)) {
            assertThat(pages.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(Stream.concat(RUN_HERE.stream(), RUN_ELSEWHERE.stream())
                            .toList());
        }
    }

    @Test
    void firstTopic() throws Exception {
        assertThat(onServer("first-topic", Map.of()))
                .contains("\"partition\":", "1\t99\t100\n", "\"value\":\"1\"", "deleted orders");
        assertThat(directory.resolve("followed.txt")).hasContent("100\nnews\n");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void pipelineInPython() throws Exception {
        assumePython();

        assertThat(onServer("python-pipeline", Map.of())).contains("{'help': 100, 'home': 100, 'shop': 200}");
    }

    @Test
    @Tag("full") // waits
    @Tag("servers")
    void groups() throws Exception {
        assertThat(onServer("groups", Map.of()))
                .containsPattern("\n\"partitions\":\\[[01]]\n")
                .contains("\"partitions\":[0,1]", "nothing is changed yet", "deleted parcels");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void exactlyOnce() throws Exception {
        assumePython();

        assertThat(onServer("exactly-once", Map.of())).contains("\n20100\n");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void fromSqs() throws Exception {
        assumePython();
        try (FakeSqs sqs = new FakeSqs(25)) {
            String printed = onServer(
                    "from-sqs",
                    Map.of(
                            "SQS_QUEUE_URL", sqs.queue(),
                            "AWS_ACCESS_KEY_ID", FakeSqs.KEY,
                            "AWS_SECRET_ACCESS_KEY", FakeSqs.SECRET));

            assertThat(sqs.left()).isZero();
            assertThat(printed).contains("moved 10", "broken 5", "\"sqs-sent\"");
        }
        List<String> did = Files.readAllLines(directory.resolve("did.txt"));
        assertThat(did).hasSize(20).doesNotHaveDuplicates(); // every fifth is broken, and one came twice
        assertThat(directory.resolve("failed.txt"))
                .content()
                .contains("\"tries\":\"3\"")
                .hasLineCount(5);
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void backUpAndRestore() throws Exception {
        String port = Integer.toString(FreePorts.next());
        String printed = new Tutorial(directory)
                .run(
                        "backup",
                        Map.of(
                                "TALOS_HTTP_PORT",
                                port,
                                "TALOS_MANAGEMENT_PORT",
                                "0",
                                "TALOS_ENDPOINT",
                                "http://127.0.0.1:" + port));

        assertThat(printed)
                .contains("backups/monday: ", "bytes, read and whole", "deleted orders")
                .containsPattern("0 +200 +500 +300");
    }

    @Test
    void alerts() throws Exception {
        String printed = onServer("alerts", Map.of());

        assertThat(printed).contains("\"ready\"", "talos_partitions{state=");
        String metrics = Files.readString(Tutorial.PAGES.resolveSibling("metrics.md"));
        String page = Files.readString(Tutorial.PAGES.resolve("alerts.md"));
        assertThat(Pattern.compile("talos_[a-z_]+")
                        .matcher(page)
                        .results()
                        .map(each -> each.group().replaceFirst("_bucket$", "")))
                .as("metrics of the page are those of docs/metrics.md")
                .isNotEmpty()
                .allSatisfy(each -> assertThat(metrics).contains("`" + each + "`"));
    }
}
