// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ShutdownHooks;

/**
 * The process that measures, started in the network that it measures in. It is given the settings as JSON and a folder
 * for logs, and prints each figure as a line of JSON.
 *
 * <p>Confined: main.
 */
public final class SweepProcess {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long END_SECONDS = 30;

    private SweepProcess() {}

    /** Runs the sweep to its end, or until nobody reads the figures any more. */
    public static void main(String[] arguments) throws IOException, TalosClientException, CommandException {
        PayloadSettings settings = JSON.readValue(arguments[0], PayloadSettings.class);
        Path work = Files.createDirectories(Path.of(settings.work()));
        Path data = Files.createTempDirectory(work, "payload-");
        ShutdownHooks.onExit("end-sweep", () -> end(data));
        new Sweep(settings, data, Path.of(arguments[1])).run(SweepProcess::print);
    }

    private static void print(PayloadFigures figures) throws IOException {
        System.out.println(JSON.writeValueAsString(figures));
        if (System.out.checkError()) {
            throw new IOException("nobody reads the figures");
        }
    }

    /** Ends the started processes and deletes the server's data, however this process ends. */
    private static void end(Path data) {
        List<ProcessHandle> started = ProcessHandle.current().descendants().toList();
        started.forEach(ProcessHandle::destroy);
        for (ProcessHandle each : started) {
            each.onExit().completeOnTimeout(each, END_SECONDS, TimeUnit.SECONDS).join();
        }
        Folders.delete(data);
    }
}
