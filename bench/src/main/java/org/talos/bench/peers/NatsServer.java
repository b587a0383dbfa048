// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.talos.devcluster.FreePorts;

/** The program of NATS with streams in files, on 127.0.0.1. Confined: one run. */
final class NatsServer implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration ENDING = Duration.ofSeconds(30);
    private static final int LOOKS = 300;
    private static final int PAUSE_MILLIS = 100;

    private final Process process;
    private final int port;

    private NatsServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it and waits until it listens.
     *
     * @param data its directory
     * @param log where what it prints goes
     */
    static NatsServer start(Path program, boolean synced, Path data, Path log)
            throws IOException, InterruptedException {
        int port = FreePorts.next();
        Path file = Files.write(data.resolve("nats.conf"), settings(synced, port, data));
        Process process = new ProcessBuilder(program.toString(), "-c", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        NatsServer server = new NatsServer(process, port);
        for (int look = 0; look < LOOKS && process.isAlive(); look++) {
            if (server.isListening()) {
                return server;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        server.close();
        throw new IOException("the server did not start: see " + log);
    }

    /** The lines of its configuration. */
    static List<String> settings(boolean synced, int port, Path data) {
        List<String> lines = new ArrayList<>();
        lines.add("listen: " + LOOPBACK + ":" + port);
        lines.add("jetstream {");
        lines.add("  store_dir: \"" + data.resolve("store") + "\"");
        if (synced) {
            lines.add("  sync_interval: always");
        }
        lines.add("}");
        return lines;
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PAUSE_MILLIS);
            return true;
        } catch (IOException e) {
            return false; // not yet
        }
    }

    /** Host and port. */
    String address() {
        return LOOPBACK + ":" + port;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (process.waitFor(ENDING.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
