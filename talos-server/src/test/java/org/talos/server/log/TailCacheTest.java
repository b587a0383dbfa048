// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.talos.server.testing.KeptMemory;

class TailCacheTest {
    private static final long SEED = 17;
    private static final int LIMIT_BYTES = 1 << 16;

    /** Blocks of a body with other things in it before, between and behind them. */
    private static List<Block> blocks(Random random) {
        byte[] body = new byte[1 + random.nextInt(1 << 14)];
        List<Block> blocks = new ArrayList<>();
        int at = 0;
        do {
            int length = 1 + random.nextInt(body.length - at);
            blocks.add(
                    new Block(1, 0, 0, ByteBuffer.wrap(body, 0, random.nextInt(2)), ByteBuffer.wrap(body, at, length)));
            at += length + random.nextInt(100);
        } while (at < body.length);
        return blocks;
    }

    @Test
    void whatIsCountedIsWhatIsKeptAlive() throws Exception {
        LogFixture fixture = new LogFixture();
        fixture.tailCacheBytes = LIMIT_BYTES;
        PartitionLog log = fixture.open();
        Random random = new Random(SEED);

        for (int i = 0; i < 500; i++) {
            append(log, new Put("p#" + i, Put.Origin.UNIQUE, blocks(random)));
            if (i % 20 == 0) {
                long kept = KeptMemory.of(log.tail());
                assertThat(kept).isLessThanOrEqualTo(fixture.tailCache.used());
                assertThat(fixture.tailCache.used()).isLessThanOrEqualTo(LIMIT_BYTES);
            }
        }
    }

    @Test
    void logThatIsClosedCountsNothing() throws Exception {
        LogFixture fixture = new LogFixture();
        PartitionLog log = fixture.open();
        append(log, LogFixture.put("message"));
        assertThat(fixture.tailCache.used()).isPositive();

        log.close();

        assertThat(fixture.tailCache.used()).isZero();
    }

    @Test
    void logsThatComeAndGoKeepNothing() throws Exception {
        LogFixture fixture = new LogFixture();
        PartitionLog log = fixture.open();
        append(log, LogFixture.put("message"));
        StoredBlock block = log.read(0, LogFixture.ALL).blocks().get(0);
        TailCache cache = new TailCache(LIMIT_BYTES);
        TailCache.Holder first = cache.holder(end -> {});
        first.held(block); // never forgotten, since the others stay within the bound

        for (int i = 0; i < 10_000; i++) {
            try (TailCache.Holder next = cache.holder(end -> {})) {
                next.held(block);
            }
        }

        assertThat(cache.used()).isEqualTo(block.weight());
        assertThat(KeptMemory.of(cache)).isLessThan(10_000);
    }

    @Test
    void smallBlockReadFromStorageDoesNotKeepWhatWasReadWithIt() throws Exception {
        LogFixture fixture = new LogFixture();
        PartitionLog log = fixture.open();
        for (int i = 0; i < 100; i++) {
            append(log, LogFixture.put("message " + i));
        }
        PartitionLog reopened = fixture.open(); // nothing in memory

        Slice few = reopened.read(50, new BlockLimits(3, 1 << 20));

        assertThat(few.blocks()).hasSize(3);
        assertThat(KeptMemory.of(few)).isLessThan(500);
    }
}
