// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The processor time that the threads of a process used in the measured time, as Linux counts it. Threads whose names
 * differ by digits are one entry. Threads that have ended meanwhile are left out. Immutable.
 *
 * @param process {@link #SERVER} or {@link #CLIENT}
 * @param seconds by name, of which Linux keeps fifteen characters
 */
public record LoadThreads(String process, SortedMap<String, Double> seconds) {
    /** The server's process. */
    public static final String SERVER = "server";

    /** The client's. */
    public static final String CLIENT = "client";

    private static final String BEGIN = "talos-bench-threads";
    private static final String BETWEEN = "\t"; // in no name
    private static final String END_OF_NAME = ") ";
    private static final int USER_TICKS = 11; // counted from behind the name
    private static final int SYSTEM_TICKS = 12;
    private static final double TICKS_PER_SECOND = 100; // of all that Linux shows to programs

    /** Copies. */
    public LoadThreads {
        seconds = Collections.unmodifiableSortedMap(new TreeMap<>(seconds));
    }

    /** One thread at one moment. Immutable. */
    record Used(String name, long ticks) {}

    /** The threads of a process now, by their numbers; none where that is not known. */
    static Map<String, Used> sample(long pid) {
        Map<String, Used> threads = new HashMap<>();
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path each : all.toList()) {
                used(each.resolve("stat")).ifPresent(used -> threads.put(each.toString(), used));
            }
        } catch (IOException e) {
            threads.clear(); // no Linux, or it has ended
        }
        return threads;
    }

    /**
     * Returns the processor time of the threads of a process so far; empty if that is not known.
     *
     * @param name the beginning of their names, with # in place of digits
     */
    public static OptionalDouble seconds(long pid, String name) {
        Map<String, Used> threads = sample(pid);
        double ticks = threads.values().stream()
                .filter(each -> each.name.startsWith(name))
                .mapToDouble(Used::ticks)
                .sum();
        return threads.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(ticks / TICKS_PER_SECOND);
    }

    private static Optional<Used> used(Path file) {
        String line;
        try {
            line = Files.readString(file);
        } catch (IOException e) {
            return Optional.empty(); // has just ended
        }
        int end = line.lastIndexOf(END_OF_NAME);
        String name = line.substring(line.indexOf('(') + 1, end).replaceAll("\\d+", "#");
        String[] fields = line.substring(end + END_OF_NAME.length()).split(" ", SYSTEM_TICKS + 2);
        return Optional.of(new Used(name, Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS])));
    }

    /** Returns the processor time that was used between two samples. */
    static LoadThreads between(String process, Map<String, Used> before, Map<String, Used> after) {
        SortedMap<String, Double> seconds = new TreeMap<>();
        after.forEach((thread, used) -> {
            Used then = before.get(thread);
            long ticks = used.ticks - (then == null ? 0 : then.ticks);
            if (ticks > 0) {
                seconds.merge(used.name, ticks / TICKS_PER_SECOND, Double::sum);
            }
        });
        return new LoadThreads(process, seconds);
    }

    /** For the standard output of the client's process. */
    public String line() {
        List<String> words = new ArrayList<>(List.of(BEGIN, process));
        seconds.forEach((name, used) -> words.addAll(List.of(name, used.toString())));
        return String.join(BETWEEN, words);
    }

    /**
     * Reads a line of that output.
     *
     * @return empty for another line
     */
    public static Optional<LoadThreads> of(String line) {
        String[] words = line.split(BETWEEN);
        if (words.length < 2 || !words[0].equals(BEGIN)) {
            return Optional.empty();
        }
        SortedMap<String, Double> seconds = new TreeMap<>();
        for (int i = 2; i + 1 < words.length; i += 2) {
            seconds.put(words[i], Double.parseDouble(words[i + 1]));
        }
        return Optional.of(new LoadThreads(words[1], seconds));
    }
}
