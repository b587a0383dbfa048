// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * The free space on the disks of the server's own directories, and whether it is below the reserve. If so, new work is
 * refused before the disk is really full, so that recovery, deletion, and cleanup still have room. Answers come from
 * memory; a timer queries the disks.
 *
 * <p>Thread-safe.
 */
public final class DiskSpace {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);
    /** The divisor that bounds the reserve on a small disk. */
    private static final int LARGEST_PART = 20;
    /**
     * The part of the reserve that must be free beyond it before a short disk counts as recovered, so that puts do not
     * stop and resume all the time.
     */
    private static final int PART_MORE = 8;
    /** The time for which a write that found the disk full outweighs the disk's own figures: a quota may be used up. */
    private static final Duration DISTRUST = Duration.ofSeconds(5);

    private static final long MEBIBYTE = 1 << 20;

    private final List<Path> directories;
    private final long reserveBytes;
    private final Probe probe;
    private final Ticker ticker;

    @GuardedBy("this")
    private @Nullable Long metNanos; // last time of a full disk

    private volatile long freeBytes = Long.MAX_VALUE;
    private volatile @Nullable Shortage shortage;

    /**
     * Has not looked yet: there is room.
     *
     * @param directories may be on several disks; one that does not exist yet is skipped
     * @param reserveBytes free space to keep on each disk; at most a twentieth of a small one
     */
    public DiskSpace(List<Path> directories, long reserveBytes, Probe probe, Ticker ticker) {
        this.directories = List.copyOf(directories);
        this.reserveBytes = reserveBytes;
        this.probe = probe;
        this.ticker = ticker;
    }

    /** Returns the space of a server that keeps nothing on its own disks. */
    public static DiskSpace none() {
        return new DiskSpace(List.of(), 0, SYSTEM, () -> 0);
    }

    /** Reads the size and the free space of a directory's disk. Thread-safe. */
    public interface Probe {
        /** Returns the bytes that this process may still write. */
        long freeBytes(Path directory);

        /** Returns the disk's size; 0 if it is unknown. */
        long totalBytes(Path directory);
    }

    /** Queries the disk without opening a file, because the process may be out of open files. */
    public static final Probe SYSTEM = new Probe() {
        @Override
        public long freeBytes(Path directory) {
            return directory.toFile().getUsableSpace();
        }

        @Override
        public long totalBytes(Path directory) {
            return directory.toFile().getTotalSpace();
        }
    };

    /**
     * A disk with too little room. Immutable.
     *
     * @param wantedBytes number of free bytes from which on there is enough again
     */
    public record Shortage(Path directory, long freeBytes, long reserveBytes, long wantedBytes) {
        /** Returns the error for clients, without the path, which only operators may see. */
        public String sentence() {
            return "the disk of the server's dataDirectory is full: " + size(freeBytes) + " are free, and "
                    + size(reserveBytes) + " are kept in reserve (storage.reserveBytes); " + advice();
        }

        /** Returns the warning for operators. */
        public String forOperator() {
            return "the disk of " + directory + " is full: " + size(freeBytes) + " are free, and " + size(reserveBytes)
                    + " are kept in reserve (storage.reserveBytes). Puts are refused, gets continue; " + advice();
        }

        private String advice() {
            long missing = wantedBytes - freeBytes;
            return missing > 0
                    ? "puts resume by themselves once " + size(missing) + " more are free there"
                    : "a write found it full all the same, as with a quota that is used up: puts resume by themselves once there"
                            + " is room";
        }
    }

    /** Formats a number of bytes for people. */
    static String size(long bytes) {
        return bytes < 10 * MEBIBYTE ? (bytes + 1023) / 1024 + " KiB" : (bytes + MEBIBYTE - 1) / MEBIBYTE + " MiB";
    }

    /** Returns the disk that is short of room, if there is one. Never blocks. */
    public @Nullable Shortage shortage() {
        return shortage;
    }

    /** Returns the free bytes of the disk that has the fewest; a very large number before the first query. */
    public long freeBytes() {
        return freeBytes;
    }

    /** Returns the warning for operators, if there is one. */
    public Optional<String> warning() {
        return Optional.ofNullable(shortage).map(Shortage::forOperator);
    }

    /**
     * Notes that a write has found the disk full, even if the system reports free space, and queries the disks at once.
     */
    public void met() {
        synchronized (this) {
            metNanos = ticker.nanos();
        }
        look();
    }

    /** Queries the disks, and logs once when a disk becomes short of room or has room again. Takes microseconds. */
    public synchronized void look() {
        Shortage before = shortage;
        Shortage worst = null;
        long least = Long.MAX_VALUE;
        for (Path directory : directories) {
            long total = probe.totalBytes(directory);
            if (total > 0) {
                long free = probe.freeBytes(directory);
                least = Math.min(least, free);
                Shortage found = shortageOf(directory, free, total, before != null);
                worst = found != null && (worst == null || found.freeBytes < worst.freeBytes) ? found : worst;
            }
        }
        freeBytes = least;
        shortage = worst;
        if (before == null && worst != null) {
            LOG.warn("disk full: {}", worst.forOperator());
        } else if (before != null && worst == null) {
            LOG.info("disk has room again, puts resume freeBytes={}", least);
        }
    }

    @GuardedBy("this")
    private @Nullable Shortage shortageOf(Path directory, long free, long total, boolean isShort) {
        long reserve = Math.min(reserveBytes, total / LARGEST_PART);
        long wanted = Math.max(1, isShort ? reserve + reserve / PART_MORE : reserve);
        boolean met = metNanos != null && ticker.nanos() - metNanos < DISTRUST.toNanos();
        return free < wanted || met
                ? new Shortage(directory, free, reserve, Math.max(1, reserve + reserve / PART_MORE))
                : null;
    }
}
