// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.talos.server.config.Durability;
import org.talos.server.config.load.ConfigException;
import org.talos.server.storage.StorageException;

/**
 * Benchmarks a put from the worker to its durability, alone and in a batch. Puts faster than the disk are slowed to the
 * disk's pace, as in a server.
 *
 * <p>Confined: JMH.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LogAppend {
    private static final int BATCH = 32;

    @Param
    Durability durability = Durability.FLUSH;

    @Param("10240")
    int messageBytes;

    private LogOnDisk disk;

    /** An empty log. */
    @Setup
    public void open() throws IOException, ConfigException, StorageException {
        disk = LogOnDisk.open(durability, messageBytes);
    }

    /** Deletes sealed segments. */
    @TearDown(Level.Iteration)
    public void shrink() {
        disk.shrink();
    }

    /** Deletes the log. */
    @TearDown
    public void close() {
        disk.close();
    }

    /** Appends one put and waits until it is durable. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long one() {
        return disk.append(1);
    }

    /** Appends puts in a batch and waits until they are durable. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OperationsPerInvocation(BATCH)
    public long ofBatch() {
        return disk.append(BATCH);
    }
}
