// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.talos.server.storage.LogId;

/**
 * Delays appends by the kind of store that a file names, which is read again ten times a second. So a measurement can
 * change the store of a server under load.
 *
 * <p>Thread-safe.
 */
final class SwitchedDelays {
    /** The delay of an append on a store that is held up for seconds. A request may take 10 s by default. */
    static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** One partition of so many is held up. */
    static final int HELD_UP_EVERY = 10;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path file;
    private final Delays hflush;
    private final LongSupplier ticker;
    private final AtomicLong lookAt;
    private volatile StoreKind kind = StoreKind.LOCAL;

    /** @param ticker nanoseconds */
    SwitchedDelays(Path file, Delays hflush, LongSupplier ticker) {
        this.file = file;
        this.hflush = hflush;
        this.ticker = ticker;
        lookAt = new AtomicLong(ticker.getAsLong());
    }

    /** Draws the delay of an append, in nanoseconds. */
    long draw(LogId log) {
        long now = ticker.getAsLong();
        long due = lookAt.get();
        if (now - due >= 0 && lookAt.compareAndSet(due, now + LOOK_NANOS)) {
            look();
        }
        return switch (kind) {
            case LOCAL -> 0;
            case HDFS -> hflush.draw();
            case HELD_UP -> log.partition() % HELD_UP_EVERY == 0 ? HELD_UP_NANOS : 0;
        };
    }

    private void look() {
        try {
            kind = StoreKind.of(Files.readString(file).strip());
        } catch (IOException e) {
            kind = StoreKind.LOCAL; // nobody has chosen yet
        }
    }
}
