// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.talos.server.config.Durability;
import org.talos.server.config.load.ConfigException;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.storage.StorageException;

/**
 * Benchmarks reading one message by its offset, in random order. Storage is sealed files that the system has read
 * before: it is what the log does that is measured, not the disk.
 *
 * <p>Confined: JMH.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LogRead {
    private static final int MESSAGES = 4_096;
    private static final int BATCH = 64;

    /** The sources of messages. */
    public enum Source {
        /** The newest blocks, kept in memory. */
        TAIL_CACHE,
        /** Segments. */
        STORAGE
    }

    @Param
    Source from = Source.TAIL_CACHE;

    @Param("10240")
    int messageBytes;

    private final SplittableRandom random = new SplittableRandom(1);
    private final BlockLimits one = new BlockLimits(1, 1);
    private LogOnDisk disk;

    /** Fills a log with messages. */
    @Setup
    public void fill() throws IOException, ConfigException, StorageException {
        disk = LogOnDisk.open(Durability.FLUSH, messageBytes);
        for (int i = 0; i < MESSAGES; i += BATCH) {
            disk.append(BATCH);
        }
        if (from == Source.STORAGE) {
            disk.reopen();
        }
        for (long offset = 0; offset < MESSAGES; offset++) {
            boolean inMemory = disk.log().readFromMemory(offset, one).isPresent();
            if (inMemory != (from == Source.TAIL_CACHE) || !found(disk.log().read(offset, one), offset)) {
                throw new IllegalStateException("not from " + from + ": offset " + offset);
            }
        }
    }

    private static boolean found(Slice slice, long offset) {
        return slice.blocks().size() == 1 && slice.blocks().get(0).baseOffset() == offset;
    }

    /** Deletes the log. */
    @TearDown
    public void close() {
        disk.close();
    }

    /** Reads one message. */
    @Benchmark
    public Slice read() {
        return disk.log().read(random.nextInt(MESSAGES), one);
    }
}
