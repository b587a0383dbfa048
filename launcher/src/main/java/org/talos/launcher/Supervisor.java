// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * Notifies systemd that the server serves, that it is alive, and that it stops, if systemd has started this process as
 * a service of Type=notify. Java 17 has no datagram sockets of the file system, so each notification runs
 * {@code systemd-notify}, which a unit allows by NotifyAccess=all. One shell, started at the beginning, runs it: if an
 * update replaces the JDK of a running JVM, this JVM can start no more processes, and systemd would end a live server.
 * Without systemd, does nothing.
 *
 * <p>Thread-safe.
 */
final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration AT_MOST = Duration.ofSeconds(10);
    private static final String SAY_EACH = "while read -r word; do systemd-notify \"$word\"; done";

    private final boolean present;
    private final Duration patience; // zero: systemd does not watch
    private final ScheduledExecutorService watch = new ScheduledThreadPoolExecutor(1, new NamedThreads("watchdog"));

    @GuardedBy("this")
    private @Nullable Process shell;

    /** Creates the supervisor of a process with this environment. */
    Supervisor(Map<String, String> environment) {
        present = environment.containsKey("NOTIFY_SOCKET");
        patience = Duration.of(Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0")), ChronoUnit.MICROS);
    }

    /**
     * Notifies that the server serves, and then at intervals that it is alive.
     *
     * @param alive false: systemd must end this process and start another
     */
    void serving(BooleanSupplier alive) {
        send("READY=1");
        if (present && !patience.isZero()) {
            long pause = patience.toMillis() / 2;
            var unused = watch.scheduleWithFixedDelay(() -> live(alive), pause, pause, TimeUnit.MILLISECONDS);
        }
    }

    private void live(BooleanSupplier alive) {
        if (alive.getAsBoolean()) {
            send("WATCHDOG=1");
        }
    }

    /** Notifies that the server stops, and waits until systemd has been notified. */
    synchronized void stopping() {
        watch.shutdownNow();
        send("STOPPING=1");
        Process last = shell;
        shell = null;
        if (last == null) {
            return;
        }
        try {
            last.getOutputStream().close();
            if (!last.waitFor(AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
                last.destroyForcibly();
                LOG.warn("systemd-notify does not end");
            }
        } catch (IOException e) {
            LOG.warn("systemd was not notified reason={}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void send(String word) {
        if (!present) {
            return;
        }
        try {
            OutputStream words = shell().getOutputStream();
            words.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
            words.flush();
        } catch (IOException | RuntimeException | Error e) { // Errors too: otherwise systemd would end a live server
            LOG.warn("systemd was not notified word={} reason={}", word, e.toString());
        }
    }

    /** Returns the shell, or another one if it has ended. */
    @GuardedBy("this")
    private Process shell() throws IOException {
        Process running = shell;
        if (running == null || !running.isAlive()) {
            running = new ProcessBuilder("/bin/sh", "-c", SAY_EACH)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            shell = running;
        }
        return running;
    }
}
