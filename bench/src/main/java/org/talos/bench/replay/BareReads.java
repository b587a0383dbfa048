// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.talos.bench.engine.TimedThreads;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Window;

/**
 * Reads the files of all partitions without a server, a few threads for all readers: each reader has a place of its own
 * and reads on from there when its turn comes, as the gets of a replay do.
 *
 * <p>Confined: one run; its readers go from thread to thread.
 */
final class BareReads {
    /** Few, as a server's that read from storage. */
    static final int THREADS = 4;

    private final Queue<PartitionFiles> waiting;
    private final LongAdder bytes = new LongAdder();

    BareReads(List<PartitionFiles> readers) {
        waiting = new ConcurrentLinkedQueue<>(readers);
    }

    /** Bytes that were read so far. */
    long bytes() {
        return bytes.sum();
    }

    /** Reads; its latencies are those of the pieces. */
    LoadResult run(Duration leadIn, Duration measured, Window window) throws IOException {
        int count = Math.min(THREADS, waiting.size());
        return TimedThreads.run(Stream.generate(Reading::new).limit(count).toList(), leadIn, measured, window);
    }

    /** Reads a piece of whichever reader waits. Confined: to its thread. */
    private final class Reading implements TimedThreads.Work {
        private final ByteBuffer piece = ByteBuffer.allocateDirect(ReplaySettings.READ_BYTES);

        @Override
        public void once() throws IOException {
            PartitionFiles reader = waiting.poll();
            if (reader == null) {
                return; // all threads end
            }
            try {
                bytes.add(reader.read(piece));
            } finally {
                waiting.add(reader);
            }
        }

        /** Closes the files, except those that other threads still read: these threads close them. */
        @Override
        public void close() throws IOException {
            for (PartitionFiles each = waiting.poll(); each != null; each = waiting.poll()) {
                each.close();
            }
        }
    }
}
