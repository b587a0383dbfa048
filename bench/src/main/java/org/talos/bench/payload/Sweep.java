// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.MeasuredServer;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.Main;

/**
 * Measures all cells against one server: by delay, size and clients, the carriers of a cell in turn, so that a
 * disturbance of the machine affects them alike.
 *
 * <p>Confined: the thread that calls {@link #run}.
 */
final class Sweep {
    private static final int WARM_UP_CLIENTS = 2;
    private static final long ROOM_FOR_HEAD = 1 << 20;

    private final PayloadSettings settings;
    private final Path data;
    private final Path reports;

    /**
     * Creates a sweep, which {@link #run} starts.
     *
     * @param data where the server keeps its own; the caller deletes it
     * @param reports where the processes' logs go
     */
    Sweep(PayloadSettings settings, Path data, Path reports) {
        this.settings = settings;
        this.data = data;
        this.reports = reports;
    }

    /** Receives the figures, each as soon as it is measured. */
    interface Listener {
        void figures(PayloadFigures figures) throws IOException;
    }

    /** Measures every cell with every carrier. */
    void run(Listener listener) throws IOException, TalosClientException, CommandException {
        try (MeasuredServer server = MeasuredServer.start(
                Main.class, settings.serverOptions(), serverSettings(settings), data, reports.resolve("server.log"))) {
            List<Carrier> carriers = carriers(server);
            warmUp(carriers);
            for (int delay : settings.delays()) {
                try (Way way = Way.open(delay, settings.netem(), reports.resolve("relay.log"))) {
                    measure(carriers, delay, way, listener);
                }
            }
        }
    }

    private List<Carrier> carriers(MeasuredServer server) throws IOException, CommandException {
        Loop loop = new Loop(Duration.ofMillis(settings.warmUpMillis()), Duration.ofMillis(settings.measuredMillis()));
        CellTopics topics = new CellTopics(server);
        List<Carrier> carriers = new ArrayList<>();
        for (Puts.Form form : Puts.Form.values()) {
            carriers.add(new Puts(form, topics, loop, settings.seed()));
        }
        for (int window : settings.windows()) {
            carriers.add(new StreamPuts(window, topics, loop, settings.seed()));
        }
        if (settings.iperf3()) {
            carriers.add(new Iperf3(loop.measured()));
        }
        carriers.add(new DiskWrites(data, loop, settings.seed()));
        return carriers;
    }

    /** Warms up with every size, since JIT compilation would otherwise be measured with the first cells. */
    private void warmUp(List<Carrier> carriers) throws IOException, TalosClientException {
        try (Way way = Way.open(0, settings.netem(), reports.resolve("relay.log"))) {
            for (int size : settings.sizes()) {
                measure(carriers, new Cell(0, size, WARM_UP_CLIENTS), way, figures -> {});
            }
        }
    }

    private void measure(List<Carrier> carriers, int delay, Way way, Listener listener)
            throws IOException, TalosClientException {
        for (int size : settings.sizes()) {
            for (int clients : settings.clients()) {
                measure(carriers, new Cell(delay, size, clients), way, listener);
            }
        }
    }

    private static void measure(List<Carrier> carriers, Cell cell, Way way, Listener listener)
            throws IOException, TalosClientException {
        for (Carrier carrier : carriers) {
            if (carrier.carries(cell)) {
                listener.figures(carrier.measure(cell, way));
            }
        }
    }

    /**
     * Returns the settings that the server needs for the largest cell, and the defaults where they suffice. Little is
     * retained: the sweep puts more than most disks hold, and reads nothing.
     */
    static Map<String, String> serverSettings(PayloadSettings settings) {
        int message = Math.min(Collections.max(settings.sizes()), PayloadSettings.LARGEST_MESSAGE);
        long largest = message + ROOM_FOR_HEAD;
        long inFlight = 2
                * Math.max(largest, Collections.max(settings.windows()))
                * Math.max(WARM_UP_CLIENTS, Collections.max(settings.clients()));
        String segment = Long.toString(DiskWrites.FILE_BYTES);
        return Map.of(
                "LOG_DURABILITY",
                "flush",
                "LOG_SEGMENTBYTES",
                segment,
                "LOG_RETENTIONBYTESPERPARTITION",
                segment,
                "LOG_RETENTIONINTERVAL",
                "250ms",
                "HTTP_MAXBODYBYTES",
                Long.toString(Math.max(24 << 20, largest)),
                "HTTP_MAXREQUESTMEMORYBYTES",
                Long.toString(Math.max(256 << 20, inFlight)));
    }
}
