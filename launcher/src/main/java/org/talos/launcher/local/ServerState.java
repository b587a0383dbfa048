// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * The resources that a server process uses at one moment. Immutable.
 *
 * @param heapBytes alive after a full collection
 * @param residentBytes of the whole process
 * @param openFiles connections among them
 */
public record ServerState(long heapBytes, long residentBytes, int threads, long openFiles, Duration cpu) {
    /** Samples the process now, after a full garbage collection. */
    public static ServerState of(SpawnedServer server) throws IOException {
        long heap = liveHeap(server.pid());
        return new ServerState(
                heap,
                status(server.pid(), "VmRSS:") << 10,
                (int) status(server.pid(), "Threads:"),
                openFiles(server.pid()),
                server.cpu());
    }

    /** Returns the most memory that a process has used at once. */
    public static long mostResidentBytes(long pid) throws IOException {
        return status(pid, "VmHWM:") << 10;
    }

    /** Returns a number of a process from Linux; memory is in KiB. */
    private static long status(long pid, String key) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.split("\\s+")[1]);
            }
        }
        throw new IOException("Linux says no " + key + " of process " + pid);
    }

    /** Returns the number of files that a process has open. */
    public static long openFiles(long pid) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.count();
        }
    }

    /** The histogram's last line is the total: objects, bytes. */
    private static long liveHeap(long pid) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String total = "";
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                total = line.isBlank() ? total : line;
            }
        }
        String[] words = total.strip().split("\\s+");
        if (words.length < 3 || !words[0].equals("Total")) {
            throw new IOException("jcmd says nothing of the heap: " + total);
        }
        return Long.parseLong(words[2]);
    }
}
