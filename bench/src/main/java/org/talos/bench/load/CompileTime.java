// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Processor time of the compilers of another JVM, as Linux counts it for each thread. HotSpot's own counters are of no
 * use here: they count a compilation when it ends, and on busy processors one continues for seconds.
 *
 * <p>Immutable.
 */
public final class CompileTime {
    /** Beginnings of "C1 CompilerThread0" and "C2 CompilerThread0", of which Linux keeps fifteen characters. */
    private static final List<String> THREADS = List.of("C1 Compiler", "C2 Compiler");

    private static final String END_OF_NAME = ") ";
    private static final int USER_TICKS = 11; // counted from behind the name
    private static final int SYSTEM_TICKS = 12;
    private static final double TICKS_PER_SECOND = 100; // of all that Linux shows to programs

    private final Path threads;

    private CompileTime(Path threads) {
        this.threads = threads;
    }

    /** The compilers of a process. */
    public static CompileTime of(long pid) {
        return new CompileTime(Path.of("/proc", Long.toString(pid), "task"));
    }

    /** Seconds of those compilers that there are at the moment; empty where this is not known. */
    public OptionalDouble seconds() {
        try (Stream<Path> all = Files.list(threads)) {
            double ticks = 0;
            for (Path each : all.toList()) {
                ticks += ticks(each.resolve("stat"));
            }
            return OptionalDouble.of(ticks / TICKS_PER_SECOND);
        } catch (IOException e) {
            return OptionalDouble.empty(); // no Linux, or the process has ended
        }
    }

    /** Returns the time that a compiler has used. Other threads, and a compiler that has just ended, have none. */
    private static long ticks(Path file) {
        String line;
        try {
            line = Files.readString(file);
        } catch (IOException e) {
            return 0;
        }
        String name = line.substring(line.indexOf('(') + 1);
        if (THREADS.stream().noneMatch(name::startsWith)) {
            return 0;
        }
        String[] fields = line.substring(line.lastIndexOf(END_OF_NAME) + END_OF_NAME.length())
                .split(" ", SYSTEM_TICKS + 2);
        return Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    }
}
