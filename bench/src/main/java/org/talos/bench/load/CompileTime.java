// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.util.OptionalDouble;
import org.talos.bench.synchronous.LoadThreads;

/**
 * Processor time of the compilers of another JVM, as Linux counts it for each thread. HotSpot's own counters are of no
 * use here: they count a compilation when it ends, and on busy processors one continues for seconds. Immutable.
 */
public record CompileTime(long pid) {
    private static final String THREADS = "C# Compiler"; // begins the names of those of C1 and of C2

    /** The compilers of a process. */
    public static CompileTime of(long pid) {
        return new CompileTime(pid);
    }

    /** Seconds of those compilers that there are at the moment; empty where this is not known. */
    public OptionalDouble seconds() {
        return LoadThreads.seconds(pid, THREADS);
    }
}
