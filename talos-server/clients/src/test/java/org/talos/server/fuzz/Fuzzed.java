// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/** The parts that all targets of the fuzzer share. Immutable. */
public final class Fuzzed {
    /** Bytes that are allocated whatever the input: buffers of fixed sizes, exceptions with their traces. */
    private static final long FIXED_BYTES = 512 << 10;

    /**
     * The factor by which a reading may allocate more, for each byte, where a fuzzer's hooks allocate for each
     * comparison.
     */
    private static final int HOOKS = Integer.getInteger("talos.fuzz.hooks", 1);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Fuzzed() {}

    /** One reading of an input. */
    @FunctionalInterface
    public interface Reading {
        /** Reads, and fails on what must not be. */
        void run() throws Exception;
    }

    /**
     * Runs a reading, and fails if the thread allocates more for it than a multiple of some bytes. What is allocated
     * once, for classes and tables, does not count: a reading that takes too much is run again.
     */
    public static void within(long bytes, int multiple, Reading reading) throws Exception {
        long most = FIXED_BYTES + bytes * multiple * HOOKS;
        long used = 0;
        for (int round = 0; round < 3; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            reading.run();
            used = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (used <= most) {
                return;
            }
        }
        throw new AssertionError(used + " bytes were allocated (expected: at most " + most + ")");
    }

    /** Fails unless both are equal. */
    public static void same(Object read, Object written) {
        if (!read.equals(written)) {
            throw new AssertionError("read again: " + read + " (expected: " + written + ")");
        }
    }

    /** The next byte of an input, from 0; 0 behind its end. */
    public static int next(ByteBuffer in) {
        return in.hasRemaining() ? in.get() & 0xff : 0;
    }

    /** The rest of an input, as bytes of its own. */
    public static byte[] rest(ByteBuffer in) {
        byte[] rest = new byte[in.remaining()];
        in.get(rest);
        return rest;
    }
}
