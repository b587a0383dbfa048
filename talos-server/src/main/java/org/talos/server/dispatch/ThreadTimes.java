// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time that a thread has run since its start, and the time that it was runnable and waited for a processor. Linux
 * counts both for each thread ({@code /proc/…/schedstat}), at no cost to the thread. On other systems, the JVM knows
 * only the first.
 *
 * <p>Thread-safe.
 */
final class ThreadTimes {
    private static final Path PROC = Path.of("/proc");
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long id;
    private final @Nullable Path file; // none: the system does not say

    private ThreadTimes(long id, @Nullable Path file) {
        this.id = id;
        this.file = file;
    }

    /** Both times. Immutable. */
    record Reading(long onProcessorNanos, long forProcessorNanos) {
        /** The value for the second time, if the system does not report it. */
        static final long UNKNOWN = -1;
    }

    /** Returns the times of the calling thread, which must not be virtual: they would be those of its carrier. */
    static ThreadTimes ofCurrentThread() {
        long id = Thread.currentThread().getId();
        try {
            Path file = PROC.resolve(Files.readSymbolicLink(PROC.resolve("thread-self")))
                    .resolve("schedstat");
            return isCounted(Files.readString(file)) ? new ThreadTimes(id, file) : ofUnknownWait(id);
        } catch (IOException | UnsupportedOperationException | SecurityException e) {
            return ofUnknownWait(id); // not Linux
        }
    }

    /** Returns the times of a thread of which only the JVM knows something. */
    static ThreadTimes ofUnknownWait(long id) {
        return new ThreadTimes(id, null);
    }

    /** Returns whether the kernel counts: this thread runs, so it has got a processor at least once. */
    static boolean isCounted(String schedstat) {
        return parsed(schedstat).isPresent() && !schedstat.strip().endsWith(" 0");
    }

    /** Returns the present times; empty if the thread has ended. */
    Optional<Reading> read() {
        if (file != null) {
            try {
                return parsed(Files.readString(file));
            } catch (IOException e) {
                return Optional.empty(); // it is gone with its thread
            }
        }
        long onProcessor = THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(id) : -1;
        return onProcessor < 0 ? Optional.empty() : Optional.of(new Reading(onProcessor, Reading.UNKNOWN));
    }

    /**
     * The file has three numbers: nanoseconds on a processor, nanoseconds of waiting for one, and the number of time
     * slices.
     */
    private static Optional<Reading> parsed(String schedstat) {
        String[] numbers = schedstat.strip().split(" ", -1);
        try {
            return numbers.length == 3
                    ? Optional.of(new Reading(Long.parseLong(numbers[0]), Long.parseLong(numbers[1])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
