// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One daemon's process. It is found again by a file with its pid, also by another program and after a crash of the one
 * that started it; a pid that was reused by another process is recognized by its arguments.
 *
 * <p>Confined: the lock of its {@link DevCluster}.
 */
final class DaemonProcess {
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.reflect",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "jdk.internal.ref",
            "sun.nio.ch");

    private final Layout layout;
    private final Daemon daemon;
    /** The process this object has started last. Held as long as it may live: its standard input closes with it. */
    private @Nullable Process started;

    private long logBegin;

    DaemonProcess(Layout layout, Daemon daemon) {
        this.layout = layout;
        this.daemon = daemon;
    }

    Daemon daemon() {
        return daemon;
    }

    /** The living process, if there is one. */
    Optional<ProcessHandle> find() throws IOException {
        Path file = layout.pidFile(daemon);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        long pid = Long.parseLong(Files.readString(file).strip());
        Process own = started;
        if (own != null && own.pid() == pid) {
            // Not asked for its arguments: for a moment after its start the system reports none.
            return Optional.of(own.toHandle()).filter(ProcessHandle::isAlive);
        }
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(this::isOurs);
    }

    boolean isAlive() throws IOException {
        return find().isPresent();
    }

    private boolean isOurs(ProcessHandle process) {
        return process.info()
                .arguments()
                .filter(arguments -> Arrays.asList(arguments).contains(mark()))
                .isPresent();
    }

    /** Starts it. With {@code attach} it does not outlive this JVM; without, it outlives this and the terminal. */
    void start(boolean attach, List<String> arguments) throws IOException {
        if (isAlive()) {
            throw new IOException(daemon.label() + " runs already");
        }
        logBegin = Files.exists(layout.log(daemon)) ? Files.size(layout.log(daemon)) : 0;
        List<String> command = command(attach, arguments);
        Process process = new ProcessBuilder(command)
                .directory(layout.directory().toFile())
                .redirectErrorStream(true)
                .redirectOutput(layout.output(daemon).toFile())
                .redirectInput(
                        attach
                                ? ProcessBuilder.Redirect.PIPE
                                : ProcessBuilder.Redirect.from(
                                        Path.of("/dev/null").toFile()))
                .start();
        started = process;
        Files.writeString(layout.pidFile(daemon), Long.toString(process.pid()));
    }

    private List<String> command(boolean attach, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (!attach) {
            // A session of its own: neither Ctrl-C nor the end of the terminal reaches it.
            command.add(onPath("setsid") ? "setsid" : "nohup");
        }
        command.addAll(java());
        command.add(mark());
        command.add("-Dtalos.devcluster.attached=" + attach);
        command.add("-Dtalos.devcluster.log=" + layout.log(daemon));
        command.add("-Xmx" + daemon.heapMegabytes() + "m");
        if (daemon.isHBase()) {
            command.addAll(opened());
        }
        if (daemon.isZooKeeper() && Files.exists(layout.zooKeeperLogins())) {
            command.add("-Djava.security.auth.login.config=" + layout.zooKeeperLogins());
        }
        command.addAll(List.of("-cp", layout.daemonClassPath(), "org.talos.devcluster.daemon.DaemonMain"));
        command.add(daemon.mainClass());
        command.addAll(arguments);
        return command;
    }

    /** A JVM that is small and starts quickly. */
    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.net.preferIPv4Stack=true",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xss512k",
                "-XX:+ExitOnOutOfMemoryError",
                "-Duser.language=en", // Hadoop writes numbers in names of files in the default locale, and reads ASCII
                "-Duser.country=US");
    }

    /** Returns the options of a JVM that open packages of the JDK to HBase. */
    static List<String> opened() {
        List<String> arguments = new ArrayList<>();
        OPENED.forEach(opened -> arguments.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
        arguments.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
        arguments.add("--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED");
        return arguments;
    }

    private String mark() {
        return "-Dtalos.devcluster=" + layout.directory() + "#" + daemon.label();
    }

    private static boolean onPath(String program) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Arrays.stream(path.split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve(program)));
    }

    /** Asks it to stop, and kills it when it has not within that time. Nothing happens when it does not run. */
    void stop(Duration patience) throws IOException, InterruptedException {
        Optional<ProcessHandle> running = find();
        if (running.isPresent()) {
            ProcessHandle process = running.get();
            var unused = run(process, "kill", "-CONT"); // one that is paused would not hear the next
            process.destroy();
            if (!ended(process, patience)) {
                kill();
            }
        }
        Files.deleteIfExists(layout.pidFile(daemon));
    }

    /** Kills it, as a power cut would, even when it is paused. */
    void kill() throws IOException, InterruptedException {
        Optional<ProcessHandle> running = find();
        if (running.isPresent()) {
            running.get().destroyForcibly();
            awaitEnd(running.get(), KILL_TIMEOUT);
        }
    }

    /** Sends a signal by its name without SIG. */
    void signal(String name) throws IOException, InterruptedException {
        act("kill", "-" + name);
    }

    /** Sets how large a file may become that the process writes. The hard limit stays, so this can be undone. */
    void limitFiles(String bytes) throws IOException, InterruptedException {
        act("prlimit", "--fsize=" + bytes + ":", "--pid");
    }

    private void act(String... program) throws IOException, InterruptedException {
        Optional<ProcessHandle> process = find();
        if (process.isEmpty() || run(process.get(), program).isEmpty()) {
            throw new IOException(daemon.label() + " does not run: no " + String.join(" ", program));
        }
    }

    boolean isPaused() throws IOException, InterruptedException {
        Optional<ProcessHandle> process = find();
        return process.isPresent()
                && run(process.get(), "ps", "-o", "state=", "-p")
                        .filter(state -> state.startsWith("T"))
                        .isPresent();
    }

    /** Returns whether its log contains that text since it was started. */
    boolean hasLogged(String phrase) throws IOException {
        Path log = layout.log(daemon);
        if (!Files.exists(log)) {
            return false;
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long begin = logBegin <= file.length() ? logBegin : 0; // it has rolled over
            byte[] text = new byte[(int) (file.length() - begin)];
            file.seek(begin);
            file.readFully(text);
            return new String(text, StandardCharsets.UTF_8).contains(phrase);
        }
    }

    /** Describes how it ended, with the last lines of its log and of its JVM's output, for an error. */
    String lastWords() throws IOException {
        Process own = started;
        String exit = own != null && !own.isAlive() ? " with " + own.exitValue() : "";
        return exit + tail(layout.log(daemon)) + tail(layout.output(daemon));
    }

    private static String tail(Path file) throws IOException {
        if (!Files.exists(file)) {
            return "";
        }
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        return "\n" + file + ":\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    }

    /** Waits for a process that was killed. */
    static void awaitEnd(ProcessHandle process, Duration patience) throws IOException, InterruptedException {
        if (!ended(process, patience)) {
            throw new IOException("pid " + process.pid() + " survives kill -9");
        }
    }

    private static boolean ended(ProcessHandle process, Duration patience) throws InterruptedException, IOException {
        CompletableFuture<ProcessHandle> exit = process.onExit();
        try {
            exit.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException("waiting for pid " + process.pid() + " failed", e);
        }
    }

    /** Runs a program on a process, whose number is its last argument; empty if the process has ended meanwhile. */
    static Optional<String> run(ProcessHandle process, String... program) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        command.add(Long.toString(process.pid()));
        Process running = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (running.waitFor() == 0) {
            return Optional.of(output);
        }
        if (process.isAlive()) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return Optional.empty();
    }
}
