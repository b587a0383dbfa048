// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HdrReservoirTest {
    private long now;
    private final HdrReservoir reservoir = new HdrReservoir(() -> now);

    @Test
    void readersDoNotDisturbEachOther() {
        for (int value = 1; value <= 1_000; value++) {
            reservoir.update(value);
        }

        Snapshot first = reservoir.getSnapshot();
        Snapshot second = reservoir.getSnapshot();
        assertThat(first.size()).isEqualTo(1_000);
        assertThat(second.size()).isEqualTo(1_000);
        assertThat(second.getMax()).isBetween(1_000L, 1_010L);
        assertThat(second.get99thPercentile()).isBetween(980.0, 1_000.0);
    }

    @Test
    void tailsAreKeptAndNotSampledAway() {
        for (int i = 0; i < 100_000; i++) {
            reservoir.update(10);
        }
        reservoir.update(1_000_000);

        assertThat(reservoir.getSnapshot().getMax()).isGreaterThanOrEqualTo(1_000_000L);
    }

    @Test
    void valuesOlderThanTheWindowAreForgotten() {
        reservoir.update(5);
        assertThat(reservoir.getSnapshot().size()).isEqualTo(1);
        for (int interval = 0; interval < 8; interval++) {
            now += Duration.ofSeconds(10).toNanos();
            assertThat(reservoir.getSnapshot()).isNotNull();
        }

        assertThat(reservoir.getSnapshot().size()).isZero();
    }

    @Test
    void emptyReservoirShowsZero() {
        Snapshot empty = reservoir.getSnapshot();

        assertThat(empty.size()).isZero();
        assertThat(empty.getMin()).isZero();
        assertThat(empty.getMedian()).isZero();
        assertThat(empty.getValues()).isEmpty();
    }

    @Test
    void whatAWriterHasRecordedIsReadAtOnceAndOnlyOnce() {
        HdrReservoir.Writer writer = reservoir.writer();
        writer.update(7);
        assertThat(reservoir.getSnapshot().size()).isOne();

        writer.update(8);
        assertThat(reservoir.getSnapshot().size()).isEqualTo(2);
        assertThat(reservoir.cumulative().sum()).isEqualTo(15);
        assertThat(reservoir.cumulative().values().getTotalCount()).isEqualTo(2);
    }

    @Test
    void valuesOfAllWritersComeTogetherHoweverManyNobodyReads() {
        HdrReservoir.Writer one = reservoir.writer();
        HdrReservoir.Writer other = reservoir.writer();
        for (int value = 1; value <= 1_000; value++) {
            one.update(value);
            other.update(1_000_000);
            reservoir.update(value);
        }
        one.update(-1);

        HdrReservoir.Cumulative all = reservoir.cumulative();
        assertThat(all.values().getTotalCount()).isEqualTo(3_001);
        assertThat(all.sum()).isEqualTo(1_000_000_000 + 1_001_000);
        assertThat(reservoir.getSnapshot().get75thPercentile()).isBetween(1_000_000.0, 1_010_000.0);
        assertThat(reservoir.getSnapshot().getMin()).isZero();
    }

    @Test
    void noValueOfAWriterIsLostWhileOthersReadAndWrite() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            while (!ended.get()) {
                reservoir.getSnapshot();
            }
        });
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            HdrReservoir.Writer writer = reservoir.writer();
            writers.add(new Thread(() -> {
                for (int value = 0; value < 20_000; value++) {
                    writer.update(value);
                }
            }));
        }
        reader.start();
        writers.forEach(Thread::start);
        for (Thread writer : writers) {
            writer.join();
        }
        ended.set(true);
        reader.join();

        assertThat(reservoir.cumulative().values().getTotalCount()).isEqualTo(60_000);
        assertThat(reservoir.cumulative().sum()).isEqualTo(3L * 20_000 * 19_999 / 2);
    }
}
