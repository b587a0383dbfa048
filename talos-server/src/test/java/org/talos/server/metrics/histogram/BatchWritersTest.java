// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BatchWritersTest {
    private final HdrReservoir waits = new HdrReservoir(() -> 0);
    private final HdrReservoir runs = new HdrReservoir(() -> 0);
    private final HdrReservoir sizes = new HdrReservoir(() -> 0);
    private final BatchWriters writers = new BatchWriters(waits, runs, sizes);

    private static void assertHas(HdrReservoir reservoir, long values, long sum) {
        HdrReservoir.Cumulative all = reservoir.cumulative();
        assertThat(all.values().getTotalCount()).isEqualTo(values);
        assertThat(all.sum()).isEqualTo(sum);
    }

    @Test
    void whatAWriterHasRecordedIsReadAtOnceAndOnlyOnce() {
        BatchRecorder writer = writers.writer();
        writer.started(7);
        assertThat(waits.getSnapshot().size()).isOne();

        writer.started(8);
        writer.ran(2, 90);
        assertHas(waits, 2, 15);
        assertHas(waits, 2, 15);
        assertHas(runs, 1, 90);
        assertHas(sizes, 1, 2);
    }

    @Test
    void valuesOfAllWritersComeTogetherHoweverManyNobodyReads() {
        BatchRecorder one = writers.writer();
        BatchRecorder other = writers.writer();
        for (int value = 1; value <= 1_000; value++) {
            one.started(value);
            one.ran(1, 10L * value);
            other.started(1_000_000);
            other.started(1_000_000);
            other.ran(2, 5);
            waits.update(value);
        }

        assertHas(waits, 4_000, 2_000_000_000 + 2 * 500_500);
        assertHas(runs, 2_000, 5_005_000 + 5_000);
        assertHas(sizes, 2_000, 3_000);
        assertThat(waits.getSnapshot().get75thPercentile()).isBetween(1_000_000.0, 1_010_000.0);
        assertThat(sizes.getSnapshot().getMax()).isEqualTo(2);
    }

    /**
     * Checks batches that end at every place of the ring, and come with nobody between them and more than half of it.
     */
    @Test
    void batchesOfAnySizeAreCountedAndSoAreTasksWhoseBatchFailed() {
        BatchRecorder writer = writers.writer();
        long tasks = 0;
        long failed = 0;
        for (int size = 0; size <= 3 * BatchRing.ROOM; size++) {
            for (int task = 0; task < size; task++) {
                writer.started(1);
            }
            tasks += size;
            if (size % 3 == 2) {
                failed++;
            } else {
                writer.ran(size, 1);
            }
        }

        int batches = 3 * BatchRing.ROOM + 1;
        assertHas(waits, tasks, tasks);
        assertHas(runs, batches - failed, batches - failed);
        assertThat(sizes.getSnapshot().getMax()).isBetween(3L * BatchRing.ROOM, 3L * BatchRing.ROOM + 1);
    }

    @Test
    void timesBelowZeroAreZero() {
        BatchRecorder writer = writers.writer();
        writer.started(-1);
        writer.ran(1, -1);

        assertHas(waits, 1, 0);
        assertHas(runs, 1, 0);
        assertHas(sizes, 1, 1);
    }

    @Test
    void noValueOfAWriterIsLostWhileOthersReadAndWrite() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            while (!ended.get()) {
                waits.getSnapshot();
                sizes.getSnapshot();
            }
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            BatchRecorder writer = writers.writer();
            threads.add(new Thread(() -> {
                for (int value = 0; value < 20_000; value++) {
                    writer.started(value);
                    writer.ran(3, value);
                }
            }));
        }
        reader.start();
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        ended.set(true);
        reader.join();

        assertHas(waits, 60_000, 3L * 20_000 * 19_999 / 2);
        assertHas(runs, 60_000, 3L * 20_000 * 19_999 / 2);
        assertHas(sizes, 60_000, 180_000);
    }
}
