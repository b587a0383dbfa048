// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import java.util.regex.Pattern;

/**
 * The number of a pool's workers: fixed, or computed from measurements ({@code auto}). A number beyond 1,024 is for
 * virtual workers only, which {@link DispatchConfig} knows.
 *
 * <p>Immutable.
 */
public final class WorkerCount {
    /** The best number: between the least and the most, changing while the server runs. */
    public static final WorkerCount AUTO = new WorkerCount(0);

    /** Threads of the kernel beyond this cost more than they do. */
    static final int MOST_OF_AUTO = 1_024;

    private static final String AUTO_TEXT = "auto";
    private static final int MOST = 100_000;
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final int LEAST_OF_AUTO = 4;
    private static final int FOR_EACH_PROCESSOR = 2;
    private static final int VIRTUAL_FOR_EACH_PROCESSOR = 128;
    /** The stack of a thread, and the memory of its task. */
    private static final long HEAP_FOR_EACH = 1 << 20;

    private final int number; // 0: auto

    private WorkerCount(int number) {
        this.number = number;
    }

    /** A number that does not change. */
    public static WorkerCount of(int number) {
        return parse(Integer.toString(number));
    }

    /** Parses the text of the configuration file: {@code auto}, or a number. */
    public static WorkerCount parse(String text) {
        if (text.equals(AUTO_TEXT)) {
            return AUTO;
        }
        int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MOST) {
            throw new IllegalArgumentException(text + " (expected: auto or 1.." + MOST + ")");
        }
        return new WorkerCount(number);
    }

    /** Returns whether the number is computed from measurements. */
    public boolean isAuto() {
        return number == 0;
    }

    /**
     * With so many the pool starts, and never has fewer: two for each processor that the process may use, so that one
     * is never idle while a worker waits for a page of memory or for a lock. Never more than {@link #most} on a machine
     * of hundreds of processors.
     */
    public int least() {
        return isAuto() ? leastFor(Runtime.getRuntime().availableProcessors()) : number;
    }

    /**
     * The same of virtual workers, of which too many cost less than too few: 128 for each processor, or half of the
     * most if that is less.
     */
    public int leastVirtual() {
        int processors = Runtime.getRuntime().availableProcessors();
        return isAuto() ? Math.min(most() / 2, VIRTUAL_FOR_EACH_PROCESSOR * processors) : number;
    }

    static int leastFor(int processors) {
        return Math.min(MOST_OF_AUTO, Math.max(LEAST_OF_AUTO, FOR_EACH_PROCESSOR * processors));
    }

    /** It never has more: of {@code auto}, one for each MiB of the heap, and 1,024 at most. */
    public int most() {
        long fit = Math.min(MOST_OF_AUTO, Runtime.getRuntime().maxMemory() / HEAP_FOR_EACH);
        return isAuto() ? Math.max((int) fit, least()) : number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WorkerCount count && count.number == number;
    }

    @Override
    public int hashCode() {
        return number;
    }

    /** Returns the text of the configuration file. */
    @Override
    public String toString() {
        return isAuto() ? AUTO_TEXT : Integer.toString(number);
    }
}
