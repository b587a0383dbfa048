// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.devcluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.ServerCertificates;
import org.talos.server.Main;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * One of several servers on this machine: a folder with its configuration, its ports, its log and its pid. If the pid
 * now belongs to another process, its arguments show it.
 *
 * <p>Confined: the main thread.
 */
public final class LocalServer {
    private static final Ticker CLOCK = SystemTime.ticker();
    private static final Duration READY_WITHIN = Duration.ofMinutes(2);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(60);
    private static final int PAUSE_MILLIS = 100;
    private static final int OK = 200;
    private static final List<String> PORTS = List.of("http", "management", "transfer");

    private final Path directory;
    private final int number;
    private @Nullable ProcessHandle started; // by this object

    LocalServer(Path directory, int number) {
        this.directory = directory;
        this.number = number;
    }

    /** Returns its name in the cluster. */
    public String label() {
        return "server-" + number;
    }

    /** Its configuration, once it was started. */
    public Path config() {
        return directory.resolve("talos.yaml");
    }

    /** Returns its log, with the output of its JVM. */
    public Path log() {
        return directory.resolve("server.log");
    }

    Path data() {
        return directory.resolve("data");
    }

    private Path pidFile() {
        return directory.resolve("server.pid");
    }

    /** Returns where clients reach it. */
    public URI uri() throws IOException {
        return URI.create("http://127.0.0.1:" + port("http"));
    }

    private int port(String of) throws IOException {
        Properties ports = new Properties();
        try (var in = Files.newBufferedReader(directory.resolve("ports.properties"))) {
            ports.load(in);
        }
        return Integer.parseInt(ports.getProperty(of));
    }

    /** Writes the configuration again; its ports are chosen once and kept. */
    void configure(DevCluster cluster, Path transferKey, Optional<ServerCertificates> certificates) throws IOException {
        Files.createDirectories(data());
        choosePorts();
        String tls = certificates.map(LocalServer::tls).orElse("");
        Files.writeString(config(), configuration(cluster, transferKey) + tls);
    }

    private String configuration(DevCluster cluster, Path transferKey) throws IOException {
        return String.format(
                Locale.ROOT,
                """
                # One of several Talos servers on this development cluster.
                dataDirectory: '%s'
                http:
                  port: %d
                management:
                  port: %d
                storage:
                  logs: hdfs
                  metadata: hbase
                hdfs:
                  configDirectory: '%s'
                hbase:
                  configDirectory: '%4$s'
                cluster:
                  coordination: zookeeper
                  serverId: %s
                  # Enough for a restart on a busy machine.
                  delayRemoved: 30s
                zookeeper:
                  connect: %s
                  sessionTimeout: 6s%s
                transfer:
                  port: %d
                  keyFile: '%s'
                """,
                quoted(data()),
                port("http"),
                port("management"),
                quoted(cluster.clientConfig()),
                label(),
                cluster.zooKeeper(),
                cluster.zooKeeperPassword().map(LocalServer::sasl).orElse(""),
                port("transfer"),
                quoted(transferKey));
    }

    private static String sasl(Path password) {
        return "\n  sasl:\n    mechanism: digest\n    user: " + DevCluster.ZOOKEEPER_USER + "\n    passwordFile: '"
                + quoted(password) + "'";
    }

    /** Ends the section {@code transfer}. */
    private static String tls(ServerCertificates certificates) {
        return String.format(
                Locale.ROOT,
                """
                 tls:
                   mode: require
                   certificateFile: '%s'
                   keyFile: '%s'
                   trustedFile: '%s'
               """,
                quoted(certificates.certificate()),
                quoted(certificates.key()),
                quoted(certificates.trusted()));
    }

    private static String quoted(Path path) {
        return path.toAbsolutePath().toString().replace("'", "''");
    }

    private void choosePorts() throws IOException {
        Path file = directory.resolve("ports.properties");
        if (Files.exists(file)) {
            return;
        }
        Properties ports = new Properties();
        for (String each : PORTS) {
            ports.setProperty(each, Integer.toString(FreePorts.next()));
        }
        try (var out = Files.newBufferedWriter(file)) {
            ports.store(out, "of " + label());
        }
    }

    /** Returns whether it was started and not stopped since then, even if the process has ended. */
    public boolean isWanted() {
        return Files.exists(pidFile());
    }

    /** Returns the living process, if there is one. */
    public Optional<ProcessHandle> process() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        long pid = Long.parseLong(Files.readString(pidFile()).strip());
        ProcessHandle own = started;
        if (own != null && own.pid() == pid) {
            return Optional.of(own).filter(ProcessHandle::isAlive); // its arguments may not be visible yet
        }
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(this::isOurs);
    }

    private boolean isOurs(ProcessHandle process) {
        return process.info()
                .arguments()
                .filter(arguments -> Arrays.asList(arguments).contains(mark()))
                .isPresent();
    }

    private String mark() {
        return "-Dtalos.devcluster.server=" + directory.toAbsolutePath();
    }

    void start() throws IOException {
        List<String> command = List.of(
                "setsid", // protects it from Ctrl-C and from the end of the terminal
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms64m",
                "-Xmx1536m",
                "-XX:+ExitOnOutOfMemoryError",
                mark(),
                "-Dtalos.home=" + System.getProperty("talos.home", "."),
                Main.class.getName(),
                config().toString());
        ProcessBuilder builder = new ProcessBuilder(command);
        // Not as an argument: the system hides very long command lines, and this one must stay visible.
        builder.environment().remove("TALOS_LOGFILE"); // of this process, if any: two cannot write one
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        Files.writeString(pidFile(), Long.toString(process.pid()));
        started = process.toHandle();
    }

    /** Returns once it says that it is ready. */
    void awaitReady() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port("management") + "/health/ready"))
                .timeout(Duration.ofSeconds(5))
                .build();
        long until = CLOCK.nanos() + READY_WITHIN.toNanos();
        String last = "nothing was answered";
        while (CLOCK.nanos() - until < 0) {
            try {
                var response = client.send(request, BodyHandlers.ofString());
                if (response.statusCode() == OK) {
                    return;
                }
                last = response.body();
            } catch (IOException e) {
                last = e.toString(); // the server does not listen yet
            }
            Thread.sleep(PAUSE_MILLIS);
            if (process().isEmpty()) {
                throw new IOException(label() + " has ended:\n" + lastLines());
            }
        }
        throw new IOException(label() + " is not ready: " + last + "\n" + lastLines());
    }

    private String lastLines() throws IOException {
        List<String> lines = Files.readAllLines(log(), StandardCharsets.UTF_8);
        List<String> said =
                lines.stream().filter(line -> !line.startsWith("\t")).toList(); // no stack traces
        return String.join("\n", said.subList(Math.max(0, said.size() - 20), said.size()));
    }

    /** Stops the server and starts it again. The server is ready when this returns. */
    public void restart() throws IOException, InterruptedException {
        stop();
        start();
        awaitReady();
    }

    /** Stops the server, and kills it if it does not stop in time. */
    void stop() throws IOException, InterruptedException {
        Optional<ProcessHandle> running = process();
        if (running.isPresent()) {
            ProcessHandle process = running.get();
            process.destroy();
            try {
                process.onExit().get(STOPPED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                process.destroyForcibly();
            }
        }
        Files.deleteIfExists(pidFile());
    }
}
