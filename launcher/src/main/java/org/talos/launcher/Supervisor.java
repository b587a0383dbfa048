// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.NamedThreads;

/**
 * Tells systemd, where it has started this process as a service of Type=notify, that the server serves, that it stops,
 * and in between that it lives. Java 17 has no datagram sockets of the file system, so each word is a run of
 * {@code systemd-notify}, which a unit allows by NotifyAccess=all. Elsewhere does nothing.
 *
 * <p>Thread-safe.
 */
final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration AT_MOST = Duration.ofSeconds(10);

    private final boolean present;
    private final Duration patience; // zero: it does not watch
    private final ScheduledExecutorService watch = new ScheduledThreadPoolExecutor(1, new NamedThreads("watchdog"));

    /** That of a process with this environment. */
    Supervisor(Map<String, String> environment) {
        present = environment.containsKey("NOTIFY_SOCKET");
        patience = Duration.of(Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0")), ChronoUnit.MICROS);
    }

    /** The server serves; from now on it is said again and again that it lives. */
    void serving() {
        send("READY=1");
        if (present && !patience.isZero()) {
            long pause = patience.toMillis() / 2;
            var unused = watch.scheduleWithFixedDelay(() -> send("WATCHDOG=1"), pause, pause, TimeUnit.MILLISECONDS);
        }
    }

    /** The server begins to stop. */
    void stopping() {
        watch.shutdownNow();
        send("STOPPING=1");
    }

    private void send(String word) {
        if (!present) {
            return;
        }
        try {
            Process notify = new ProcessBuilder("systemd-notify", word)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!notify.waitFor(AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
                notify.destroyForcibly();
                LOG.warn("systemd-notify does not end word={}", word);
            } else if (notify.exitValue() != 0) {
                LOG.warn("systemd-notify failed word={} exit={}", word, notify.exitValue());
            }
        } catch (IOException | RuntimeException | Error e) { // an Error too: systemd would end a server that lives
            LOG.warn("systemd was not notified word={} reason={}", word, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
