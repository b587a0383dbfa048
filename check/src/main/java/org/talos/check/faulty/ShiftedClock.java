// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The machine's clock shifted by as many seconds as a file says, which another process writes.
 *
 * <p>Thread-safe.
 */
public final class ShiftedClock implements InstantSource {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path file;
    private final InstantSource machine;
    private final LongSupplier nanos;
    private volatile Reading last;

    /** The content of the file, and when it was read. Immutable. */
    private record Reading(long nanos, Duration shift) {}

    /** @param nanos a monotonic clock: the file is not read at each call */
    ShiftedClock(Path file, InstantSource machine, LongSupplier nanos) {
        this.file = file;
        this.machine = machine;
        this.nanos = nanos;
        last = read();
    }

    /** Writes the shift to the file, which is replaced as a whole, so that no reader sees half a number. */
    public static void shift(Path file, Duration by) throws IOException {
        Path written =
                Files.writeString(file.resolveSibling(file.getFileName() + ".new"), Long.toString(by.toSeconds()));
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private Reading read() {
        try {
            return new Reading(
                    nanos.getAsLong(),
                    Duration.ofSeconds(Long.parseLong(Files.readString(file).strip())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Instant instant() {
        Reading known = last;
        if (nanos.getAsLong() - known.nanos() > LOOK_NANOS) {
            known = read();
            last = known;
        }
        return machine.instant().plus(known.shift());
    }
}
