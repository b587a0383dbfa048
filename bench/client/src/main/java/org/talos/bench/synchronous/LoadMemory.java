// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The memory of both processes when the measured time is over, as Linux counts it; -1 where that is not known.
 * Immutable.
 *
 * @param clientKib resident, of this process
 * @param serverKib resident, of the server's
 * @param serverFileKib of that, pages of files that the server has mapped: they are the page cache's as well
 */
public record LoadMemory(long clientKib, long serverKib, long serverFileKib) {
    private static final String BEGIN = "talos-bench-memory";
    private static final int WORDS = 4;
    private static final long UNKNOWN = -1;

    /** Samples this process and the server's. */
    static LoadMemory sample(long serverPid) {
        long own = ProcessHandle.current().pid();
        return new LoadMemory(kib(own, "VmRSS:"), kib(serverPid, "VmRSS:"), kib(serverPid, "RssFile:"));
    }

    private static long kib(long pid, String key) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.split("\\s+")[1]);
                }
            }
        } catch (IOException e) {
            return UNKNOWN; // no Linux, or it has ended
        }
        return UNKNOWN;
    }

    /** For the standard output of the client's process. */
    public String line() {
        return BEGIN + " " + clientKib + " " + serverKib + " " + serverFileKib;
    }

    /**
     * Reads a line of that output.
     *
     * @return empty for another line
     */
    public static Optional<LoadMemory> of(String line) {
        String[] words = line.split(" ", WORDS);
        if (words.length < WORDS || !words[0].equals(BEGIN)) {
            return Optional.empty();
        }
        return Optional.of(
                new LoadMemory(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])));
    }
}
