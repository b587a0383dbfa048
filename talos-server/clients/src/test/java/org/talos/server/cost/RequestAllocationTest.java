// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.server.testing.TestServer;

/**
 * No request allocates a tenth more than config/allocation.txt says. Allocation is what of a request's cost does not
 * depend on the machine: one request is in flight at a time, compiled by C1, which leaves out no object, and the least
 * of several rounds counts. How the file is changed: CONTRIBUTING.md.
 */
@Isolated // counts what all threads of the server allocate
@Timeout(600) // seconds by themselves; the machine may be busy
class RequestAllocationTest {
    private static final Path FILE = Path.of(System.getProperty("talos.root"), "config", "allocation.txt");
    private static final int JDK = 17;
    private static final int SMALL = 100;
    private static final int LARGE = 10 << 10;
    private static final int WARM_UP = 500;
    private static final int ROUNDS = 10;
    private static final int REQUESTS = 100;
    private static final Map<String, String> FLUSH = Map.of("LOG_DURABILITY", "flush");
    private static final Map<String, String> FSYNC = Map.of("LOG_DURABILITY", "fsync");

    @TempDir
    Path directory;

    private final Map<String, Long> measured = new LinkedHashMap<>();

    /** Sends one request and reads its answer. */
    private interface Request {
        void send() throws Exception;
    }

    @BeforeEach
    void onlyWhatTheFiguresAreOf() {
        assumeTrue(
                Runtime.version().feature() == JDK && compiler().equals("1"),
                "config/allocation.txt is of JDK 17 with -XX:TieredStopAtLevel=1, as mvn verify runs tests; this is "
                        + Runtime.version() + " with " + compiler());
    }

    private static String compiler() {
        return ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("TieredStopAtLevel")
                .getValue();
    }

    @Test
    void noRequestAllocatesATenthMoreThanTheFileSays() throws Exception {
        direct();
        synced();
        forwarded();

        String why = System.getProperty("talos.allocation.why", "");
        AllocationFile expected = AllocationFile.read(FILE);
        if (!why.isEmpty()) {
            Files.write(FILE, expected.rewritten(measured, why));
            expected = AllocationFile.read(FILE);
        }
        assertThat(expected.complaint(measured)).isEmpty();
    }

    private void direct() throws Exception {
        AllocatedBytes allocated = new AllocatedBytes();
        Path data = directory.resolve("direct");
        try (TestServer server = TestServer.start(data, FLUSH);
                CostRequests requests = new CostRequests(server.uri().getPort(), data)) {
            requests.put(0, SMALL, false);
            requests.put(1, LARGE, false);
            measure("get of 100 B", allocated, () -> requests.get(0));
            measure("get of 10 KiB", allocated, () -> requests.get(1));
            measure("REST get of 10 KiB", allocated, () -> requests.restGet(1));
            measure("put of 100 B", allocated, () -> requests.put(2, SMALL, false));
            measure("put of 10 KiB", allocated, () -> requests.put(3, LARGE, false));
            measure("REST put of 10 KiB", allocated, () -> requests.restPut(4, LARGE));
            requests.openStream();
            measure("stream put of 100 B", allocated, () -> requests.streamPut(5, SMALL));
            measure("stream put of 10 KiB", allocated, () -> requests.streamPut(6, LARGE));
        }
    }

    /** Through a worker and the journal's thread, which with flush the request's own thread spares. */
    private void synced() throws Exception {
        AllocatedBytes allocated = new AllocatedBytes();
        Path data = directory.resolve("synced");
        try (TestServer server = TestServer.start(data, FSYNC);
                CostRequests requests = new CostRequests(server.uri().getPort(), data)) {
            measure("put of 10 KiB, fsync", allocated, () -> requests.put(0, LARGE, false));
        }
    }

    private void forwarded() throws Exception {
        AllocatedBytes allocated = new AllocatedBytes();
        Path data = directory.resolve("forwarded");
        Map<String, String> settings = Map.of(
                "TALOS_DATADIRECTORY", data.toString(),
                "TALOS_HTTP_HOST", "127.0.0.1",
                "TALOS_HTTP_PORT", "0",
                "TALOS_SERVICE_SHUTDOWNGRACE", "2s",
                "TALOS_LOG_DURABILITY", "flush");
        try (ForwardingServer server = new ForwardingServer(data, settings);
                CostRequests requests = new CostRequests(server.port(), data)) {
            server.forward();
            measure("forwarded put of 10 KiB, both servers", allocated, () -> requests.put(0, LARGE, true));
        }
    }

    /** Measures a request; other allocations can only add to a round, so the least is nearest to the truth. */
    private void measure(String name, AllocatedBytes allocated, Request request) throws Exception {
        send(request, WARM_UP);
        Map<String, Long> least = Map.of();
        for (int round = 0; round < ROUNDS; round++) {
            Map<String, Long> before = allocated.now();
            send(request, REQUESTS);
            Map<String, Long> after = allocated.now();
            boolean whole =
                    after.keySet().containsAll(before.keySet()); // a thread that has ended takes its bytes along
            Map<String, Long> grown = grown(before, after);
            if (whole && (least.isEmpty() || sum(grown) < sum(least))) {
                least = grown;
            }
        }
        assertThat(least).as("rounds of %s in which no thread ended", name).isNotEmpty();
        measured.put(name, sum(least) / REQUESTS);
        System.out.println(name + ": " + sum(least) / REQUESTS + " bytes a request");
        least.forEach((thread, bytes) -> System.out.println("    " + thread + ": " + bytes / REQUESTS));
    }

    private static void send(Request request, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            request.send();
        }
    }

    private static Map<String, Long> grown(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> grown = new TreeMap<>();
        after.forEach((thread, bytes) -> {
            long more = bytes - before.getOrDefault(thread, 0L);
            if (more > 0) {
                grown.put(thread, more);
            }
        });
        return grown;
    }

    private static long sum(Map<String, Long> bytes) {
        return bytes.values().stream().mapToLong(each -> each).sum();
    }
}
