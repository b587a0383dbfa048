// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Window;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;

/**
 * Measures Hadoop's client alone: each thread writes to a file of its own, record by record, and flushes each before it
 * writes the next, or none.
 *
 * <p>Confined: one run; its phase is read by its writers.
 */
final class RawWrites {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int DIGITS = 3;

    private final FileSystem files;
    private final Path directory;
    private final HdfsConfig config;
    private final Optional<Durability> flushed;
    private final int recordBytes;
    private volatile Phase phase = Phase.WARMING_UP;

    /** Of all writers at once. */
    private enum Phase {
        WARMING_UP,
        MEASURING,
        ENDING
    }

    /** @param flushed how each record is; empty for a flush at the end alone */
    RawWrites(FileSystem files, String directory, HdfsConfig config, Optional<Durability> flushed, int recordBytes) {
        this.files = files;
        this.directory = new Path(directory);
        this.config = config;
        this.flushed = flushed;
        this.recordBytes = recordBytes;
    }

    /** Writes with this number of threads; what they have written is deleted. */
    LoadResult run(int threads, Duration warmUp, Duration measured, Window window) throws IOException {
        ExecutorService writers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Written>> running = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                running.add(writers.submit(new Writer(number)));
            }
            Thread.sleep(warmUp.toMillis());
            phase = Phase.MEASURING;
            window.opened();
            long start = System.nanoTime();
            Thread.sleep(measured.toMillis());
            long nanos = System.nanoTime() - start;
            phase = Phase.ENDING;
            window.closed();
            return together(running, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            phase = Phase.ENDING;
            writers.shutdown();
            files.delete(directory, true);
        }
    }

    private static LoadResult together(List<Future<Written>> running, long nanos)
            throws IOException, InterruptedException {
        Histogram latency = new Histogram(DIGITS);
        long records = 0;
        try {
            for (Future<Written> each : running) {
                Written written = each.get();
                latency.add(written.latency);
                records += written.records;
            }
        } catch (ExecutionException e) {
            throw new IOException("the bare client failed: " + e.getCause(), e);
        }
        return new LoadResult(latency, nanos, records, 0, Optional.empty());
    }

    /** The measurements of one thread. Immutable, but for the histogram, which belongs to the caller. */
    private record Written(Histogram latency, long records) {}

    /** One thread and its file. Confined: to its thread. */
    private final class Writer implements Callable<Written> {
        private final int number;
        private final byte[] record = new byte[recordBytes];
        private final Histogram latency = new Histogram(DIGITS);
        private long records;

        Writer(int number) {
            this.number = number;
            new SplittableRandom(number).nextBytes(record);
        }

        @Override
        public Written call() throws IOException {
            Path file = new Path(directory, Integer.toString(number));
            try (FSDataOutputStream out =
                    files.create(file, true, BUFFER_BYTES, (short) config.replication(), config.blockBytes())) {
                while (phase != Phase.ENDING) {
                    write(out);
                }
            }
            return new Written(latency, records);
        }

        private void write(FSDataOutputStream out) throws IOException {
            long start = System.nanoTime();
            out.write(record);
            flush(out);
            records++;
            if (phase == Phase.MEASURING) {
                latency.recordValue(System.nanoTime() - start);
            }
        }

        private void flush(FSDataOutputStream out) throws IOException {
            if (flushed.isEmpty()) {
                return;
            }
            if (flushed.get() == Durability.FSYNC) {
                out.hsync();
            } else {
                out.hflush();
            }
        }
    }
}
