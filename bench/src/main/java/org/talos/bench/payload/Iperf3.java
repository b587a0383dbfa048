// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * The carrier iperf3: a stream with writes of the cell's size, as far as it allows them. It has no requests, so it has
 * no latencies.
 *
 * <p>Confined: the sweep's thread.
 */
final class Iperf3 implements Carrier {
    static final String LABEL = "iperf3";

    /** For a person. */
    static final String DESCRIBED =
            "iperf3: streams with writes of the size, of 1 MiB at most; no requests, so no times";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String READY = "Server listening";
    private static final int MOST_BYTES = 1 << 20; // of one write, a bound of iperf3's own
    private static final double BITS_PER_MEGABYTE = 8e6;

    private final InetSocketAddress server;
    private final int seconds;

    /** It counts in whole seconds. */
    Iperf3(Duration measured) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket free = new ServerSocket(0, 1, loopback)) {
            server = new InetSocketAddress(loopback, free.getLocalPort());
        }
        seconds = (int) Math.max(1, (measured.toMillis() + 500) / 1_000);
    }

    /** Returns whether iperf3 is installed. */
    static boolean present() {
        try {
            Process version = new ProcessBuilder("iperf3", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return version.waitFor() == 0;
        } catch (IOException e) {
            return false; // not on the path
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String label() {
        return LABEL;
    }

    /** With a server for this cell alone, since a permanent one would fill its output pipe. */
    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException {
        InetSocketAddress target = way.to(server);
        String port = Integer.toString(server.getPort());
        Process listening = begin(
                List.of("iperf3", "--server", "--one-off", "--bind", "127.0.0.1", "--port", port, "--forceflush"));
        try (BufferedReader said = listening.inputReader(StandardCharsets.UTF_8)) {
            if (said.lines().noneMatch(line -> line.startsWith(READY))) {
                return PayloadFigures.ofFailure(LABEL, cell, "the server of iperf3 did not start");
            }
            return result(cell, seconds, client(cell, target));
        } finally {
            listening.destroy();
        }
    }

    private String client(Cell cell, InetSocketAddress target) throws IOException {
        Process client = begin(List.of(
                "iperf3",
                "--client",
                "127.0.0.1",
                "--port",
                Integer.toString(target.getPort()),
                "--length",
                Integer.toString(Math.min(MOST_BYTES, cell.size())),
                "--parallel",
                Integer.toString(cell.clients()),
                "--omit", // while its window grows, as the puts have a warm-up
                "1",
                "--time",
                Integer.toString(seconds),
                "--json"));
        try {
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            client.destroy();
        }
    }

    private static Process begin(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Returns the figures in the report of a client. */
    static PayloadFigures result(Cell cell, int seconds, String json) throws IOException {
        JsonNode report = JSON.readTree(json);
        JsonNode rate = report.at("/end/sum_received/bits_per_second");
        return rate.isNumber()
                ? PayloadFigures.ofBytes(LABEL, cell, rate.asDouble() / BITS_PER_MEGABYTE, seconds)
                : PayloadFigures.ofFailure(LABEL, cell, report.path("error").asText("iperf3 said nothing"));
    }
}
