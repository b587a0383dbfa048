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
        Path status = Path.of("/proc", Long.toString(server.pid()), "status");
        long resident = 0;
        int threads = 0;
        for (String line : Files.readAllLines(status)) {
            String[] words = line.split("\\s+");
            if (line.startsWith("VmRSS:")) {
                resident = Long.parseLong(words[1]) << 10;
            } else if (line.startsWith("Threads:")) {
                threads = Integer.parseInt(words[1]);
            }
        }
        return new ServerState(heap, resident, threads, openFiles(server.pid()), server.cpu());
    }

    /** How many files a process has open. */
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
