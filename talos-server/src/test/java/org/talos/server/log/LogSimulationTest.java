// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Puts, rolls, slow flushes, power losses and new owners in an order that a seed gives. */
@Timeout(60)
class LogSimulationTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyAcknowledgedPutIsThereOnceAtItsOffset(long seed) throws Exception {
        Random random = new Random(seed);
        LogFixture fixture = new LogFixture();
        Map<Long, String> acknowledged = new HashMap<>();
        PartitionLog log = fixture.open();

        for (int step = 0; step < 200; step++) {
            fixture.millis += random.nextInt(100);
            switch (random.nextInt(10)) {
                case 0 -> fixture.store.holdFlushes();
                case 1 -> fixture.store.flush(1 + random.nextInt(3));
                case 2 -> fixture.store.releaseFlushes();
                case 3 -> {
                    fixture.store.losePower(random.nextLong(fixture.store.waitingBytes() + 1));
                    fixture.background.clear();
                    log = reopened(fixture, acknowledged);
                }
                case 4 -> log = reopened(fixture, acknowledged);
                default -> {
                    String text = "step " + step + (random.nextInt(4) == 0 ? "x".repeat(40_000) : "");
                    var unused = append(log, put("p#" + step, block(1, text), block(1, "and " + step)))
                            .firstOffset()
                            .thenAccept(offset -> acknowledged.put(offset, text));
                }
            }
            if (random.nextInt(5) == 0 && fixture.store.waitingBytes() == 0) {
                fixture.settle();
            }
        }

        fixture.store.releaseFlushes();
        reopened(fixture, acknowledged);
        assertThat(acknowledged).isNotEmpty();
    }

    private static PartitionLog reopened(LogFixture fixture, Map<Long, String> acknowledged) throws Exception {
        PartitionLog log = fixture.open();
        List<String> texts = texts(log, 0);
        assertThat(texts).hasSize((int) log.durableEnd()).doesNotHaveDuplicates();
        acknowledged.forEach(
                (offset, text) -> assertThat(texts.get((int) (long) offset)).isEqualTo(text));
        return log;
    }
}
