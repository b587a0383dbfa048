// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.talos.server.runtime.time.Ticker;

/**
 * The monotonic clock of a machine that was suspended: the time for which it was suspended is missing. A file of eight
 * bytes says how long that was in all, in nanoseconds. Another process adds to it while this one is stopped.
 *
 * <p>It never goes back, as the other process counts less than the whole time for which this one was stopped.
 *
 * <p>Thread-safe.
 */
public final class SuspendedTicker implements Ticker {
    private static final VarHandle NANOS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN)
            .withInvokeExactBehavior();

    private final ByteBuffer suspended; // the file: the first reading after a stop has the new value
    private final LongSupplier nanos;

    /** @param nanos the machine's monotonic clock */
    SuspendedTicker(Path file, LongSupplier nanos) throws IOException {
        suspended = map(file);
        this.nanos = nanos;
    }

    /** Adds to the time for which the machine was suspended. The file is made if it does not exist. */
    public static void add(Path file, Duration time) throws IOException {
        ByteBuffer total = map(file);
        NANOS.setVolatile(total, 0, suspendedNanos(total) + time.toNanos());
    }

    private static MappedByteBuffer map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES); // a new file is all zeros
        }
    }

    private static long suspendedNanos(ByteBuffer total) {
        return (long) NANOS.getVolatile(total, 0);
    }

    @Override
    public long nanos() {
        long before = suspendedNanos(suspended);
        while (true) {
            long now = nanos.getAsLong();
            long after = suspendedNanos(suspended);
            if (after == before) {
                return now - after;
            }
            before = after; // stopped between the readings, which do not belong together
        }
    }
}
