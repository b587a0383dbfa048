// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked in an empty folder, on a machine that has a JDK and no Maven. Needs tar and bash. */
@Timeout(120)
class ArchiveIT {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String VERSION = System.getProperty("talos.version");
    private static final List<String> TOOLS = List.of("bash", "dirname", "mkdir", "mv", "readlink", "rm", "sed");
    private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1"; // nothing here runs long enough for more
    private static final int WRONG_CONFIGURATION = 78;
    private static final int TERMINATED = 143;

    @TempDir
    private static Path directory;

    private static Path home;
    private static Path tools;

    private record Run(int code, String output) {}

    @BeforeAll
    static void unpack() throws Exception {
        Path archive = ROOT.resolve("dist/target/talos-" + VERSION + ".tar.gz");
        assertThat(new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", directory.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        home = directory.resolve("talos-" + VERSION);
        tools = Files.createDirectory(directory.resolve("tools"));
        for (String each : TOOLS) {
            Path found = Stream.of("/bin", "/usr/bin", "/usr/local/bin")
                    .map(folder -> Path.of(folder, each))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow();
            Files.createSymbolicLink(tools.resolve(each), found);
        }
    }

    private static ProcessBuilder command(Map<String, String> environment, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(home.resolve("bin/talos").toString()), Stream.of(arguments))
                        .toList());
        builder.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        builder.environment().put("PATH", tools.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("TALOS_JAVA_OPTS", FIRST_COMPILER);
        builder.environment().putAll(environment);
        return builder.redirectErrorStream(true);
    }

    private static Run talos(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Process process = command(environment, arguments).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    @Test
    void hasWhatItNeedsAndNothingThatOnlyMeasures() throws Exception {
        for (String each : List.of("bin", "conf", "lib", "LICENSE", "NOTICE")) {
            assertThat(home.resolve(each)).exists();
        }
        assertThat(home.resolve("bin/rolling-restart")).isExecutable();
        assertThat(home.resolve("conf/talos.yaml")).exists();
        assertThat(home.resolve("systemd/talos.service")).exists();
        for (String file : List.of("index.html", "search.js", "search-index.js", "site.css")) {
            assertThat(home.resolve("docs").resolve(file)).isNotEmptyFile();
        }
        assertThat(home.resolve("docs/tutorials")).isNotEmptyDirectory();
        assertThat(Files.readString(home.resolve("NOTICE")))
                .contains("org.eclipse.jetty:jetty-server:", "org.rocksdb:rocksdbjni:", "org.slf4j:slf4j-simple:")
                .contains(
                        "org.webjars.npm:preact:",
                        "org.mvnpm:htm:",
                        "org.webjars.npm:uplot:",
                        "org.webjars:swagger-ui:")
                .doesNotContain("jmh", "org.talos:");
        try (Stream<Path> lib = Files.walk(home.resolve("lib"))) {
            assertThat(lib.map(each -> each.getFileName().toString()))
                    .contains("talos-launcher-" + VERSION + ".jar", "talos-cli-" + VERSION + ".jar")
                    .contains("talos-console-" + VERSION + ".jar")
                    .noneMatch(name -> name.startsWith("talos-bench")
                            || name.startsWith("talos-check")
                            || name.startsWith("jmh")
                            || name.startsWith("selenium")
                            || name.startsWith("hbase-server"));
        }
    }

    @Test
    void tellsItsVersionAndWhereTheToolsAre() throws Exception {
        assertThat(talos(Map.of(), "--version")).isEqualTo(new Run(0, "talos " + VERSION + "\n"));
        assertThat(talos(Map.of(), "bench", "floor", "--short"))
                .isEqualTo(new Run(1, "talos: bench is not here: unpack talos-tools over " + home + "\n"));
        assertThat(talos(Map.of(), "devcluster", "up"))
                .isEqualTo(new Run(
                        1,
                        "talos: the daemons of the development cluster are not here: unpack talos-tools over " + home
                                + "\n"));
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void clientsCommandsUseAClassImageThatTheFirstOneMakes() throws Exception {
        Run first = talos(Map.of(), "topic", "list", "--endpoint", "http://127.0.0.1:1", "--credentials", "none");
        Path classes = directory.resolve("classes");
        Run second = talos(
                Map.of("TALOS_JAVA_OPTS", "-Xlog:class+load:file=" + classes),
                "topic",
                "list",
                "--endpoint",
                "http://127.0.0.1:1",
                "--credentials",
                "none");

        assertThat(first.output()).startsWith("talos: no credentials: none cannot be read");
        assertThat(second).isEqualTo(first);
        assertThat(home.resolve("lib/client")).isDirectoryContaining("glob:**/talos-*.jsa");
        assertThat(Files.readString(classes))
                .contains("org.talos.cli.command.TopicCommand source: shared objects file");
    }

    @Test
    void configurationIsCheckedWithoutStartingAnything() throws Exception {
        Run sound = talos(Map.of("TALOS_JAVA_OPTS", "-Xmx512m " + FIRST_COMPILER), "server", "--check-config");
        assertThat(sound.code()).isZero();
        assertThat(sound.output())
                .startsWith("the configuration is sound; limits in the memory of this JVM:\n")
                .contains("  http.maxConnections: 7281\n", "  log.dedupeBytes: 32MiB\n");
        Run wrong = talos(Map.of("TALOS_HTTP_WORKERS", "none"), "server", "--check-config");

        assertThat(wrong.code()).isEqualTo(WRONG_CONFIGURATION);
        assertThat(wrong.output()).contains("http.workers", "none");
        assertThat(talos(Map.of("TALOS_HTTP_WORKERS", "none"), "server").code()).isEqualTo(WRONG_CONFIGURATION);
        Run unknown = talos(Map.of("TALOS_FRONTENDS_KAFKA_ENABLED", "true"), "server", "--check-config");
        assertThat(unknown.code()).isEqualTo(WRONG_CONFIGURATION);
        assertThat(unknown.output()).contains("frontEnds.kafka: unknown front end");
        assertThat(home.resolve("data")).doesNotExist();
    }

    /** In the place of systemd-notify stands a script that writes down what it is given. */
    @Test
    void serviceTellsItsSupervisorThatItServesAndStopsAndLogsToItsFile() throws Exception {
        Path notified = directory.resolve("notified");
        Path notify = Files.writeString(
                tools.resolve("systemd-notify"), "#!/usr/bin/env bash\necho \"$1 $PPID\" >> " + notified);
        assertThat(notify.toFile().setExecutable(true)).isTrue();
        Path log = directory.resolve("logs/talos.log");
        ProcessBuilder builder = command(
                Map.of(
                        "NOTIFY_SOCKET", "/run/systemd/notify",
                        "WATCHDOG_USEC", "100000",
                        "TALOS_LOGFILE", log.toString(),
                        "TALOS_LOGFORMAT", "json",
                        "TALOS_MANAGEMENT_PORT", "0"),
                "server",
                "--port",
                "0",
                "--data",
                directory.resolve("service").toString());
        Process server = builder.start();
        try {
            await().atMost(Duration.ofMinutes(1)) // a JVM starts, on a machine that may be busy
                    .until(() ->
                            Files.exists(notified) && Files.readString(notified).contains("WATCHDOG=1"));
            assertThat(Files.readString(notified))
                    .as("a JVM starts no further process once its JDK has been replaced")
                    .doesNotContain(" " + server.pid() + "\n");
            server.destroy();

            assertThat(server.waitFor()).isEqualTo(TERMINATED);
        } finally {
            server.destroyForcibly();
        }
        assertThat(Files.readAllLines(notified).stream().map(each -> each.split(" ")[0]))
                .startsWith("READY=1")
                .endsWith("STOPPING=1");
        assertThat(Files.readString(log)).contains("\"formattedMessage\":\"serving version=" + VERSION + " ");
    }

    @Test
    void quickStartSucceeds() throws Exception {
        Run run = talos(Map.of(), "quickstart", "--once", "--messages", "500");

        assertThat(run.output()).contains("all 500 messages came back");
        assertThat(run.code()).isZero();
    }
}
