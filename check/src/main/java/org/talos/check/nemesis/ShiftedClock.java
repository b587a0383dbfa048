// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

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
 * The machine's clock, and as many seconds more or less as a file says, which somebody else writes.
 *
 * <p>Thread-safe.
 */
final class ShiftedClock implements InstantSource {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path file;
    private final InstantSource machine;
    private final LongSupplier nanos;
    private volatile Look last;

    /** What the file said, and when. Immutable. */
    private record Look(long nanos, Duration shift) {}

    /** @param nanos a monotonic clock: the file is not read at each call */
    ShiftedClock(Path file, InstantSource machine, LongSupplier nanos) {
        this.file = file;
        this.machine = machine;
        this.nanos = nanos;
        last = look();
    }

    /** Has all who read that file see this. The file is replaced as a whole, so that nobody sees half a number. */
    static void shift(Path file, Duration by) throws IOException {
        Path written =
                Files.writeString(file.resolveSibling(file.getFileName() + ".new"), Long.toString(by.toSeconds()));
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private Look look() {
        try {
            return new Look(
                    nanos.getAsLong(),
                    Duration.ofSeconds(Long.parseLong(Files.readString(file).strip())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Instant instant() {
        Look known = last;
        if (nanos.getAsLong() - known.nanos() > LOOK_NANOS) {
            known = look();
            last = known;
        }
        return machine.instant().plus(known.shift());
    }
}
