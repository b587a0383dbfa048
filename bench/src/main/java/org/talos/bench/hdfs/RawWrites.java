// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.talos.bench.engine.TimedThreads;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Window;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;

/**
 * Measures Hadoop's client alone: each thread writes to a file of its own, record by record, and flushes each before it
 * writes the next, or none.
 *
 * <p>Confined: one run.
 */
final class RawWrites {
    private static final int BUFFER_BYTES = 64 << 10;

    private final FileSystem files;
    private final Path directory;
    private final HdfsConfig config;
    private final Optional<Durability> flushed;
    private final int recordBytes;

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
        try {
            List<Writer> writers = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                writers.add(new Writer(number));
            }
            return TimedThreads.run(writers, warmUp, measured, window);
        } finally {
            files.delete(directory, true);
        }
    }

    /** One thread and its file. Confined: to its thread. */
    private final class Writer implements TimedThreads.Work {
        private final byte[] record = new byte[recordBytes];
        private final FSDataOutputStream out;

        Writer(int number) throws IOException {
            new SplittableRandom(number).nextBytes(record);
            Path file = new Path(directory, Integer.toString(number));
            out = files.create(file, true, BUFFER_BYTES, (short) config.replication(), config.blockBytes());
        }

        @Override
        public void once() throws IOException {
            out.write(record);
            if (flushed.isEmpty()) {
                return;
            }
            if (flushed.get() == Durability.FSYNC) {
                out.hsync();
            } else {
                out.hflush();
            }
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
