// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalLogTest {
    private static final long SECOND = RefusalLog.OF_ALL.toNanos();
    private static final long MINUTE = RefusalLog.OF_ONE.toNanos();

    private final AtomicLong now = new AtomicLong(7);
    private final RefusalLog refusals = new RefusalLog(now::get);

    private static InetSocketAddress peer(int host, int port) {
        return new InetSocketAddress("10.0." + host / 256 + "." + host % 256, port);
    }

    @Test
    void addressIsLoggedOnceAMinuteWhateverItsPort() {
        assertThat(refusals.isDue(peer(1, 1_000))).isTrue();
        now.addAndGet(MINUTE - 1);
        assertThat(refusals.isDue(peer(1, 1_001))).isFalse();

        now.incrementAndGet();

        assertThat(refusals.isDue(peer(1, 1_002))).isTrue();
    }

    @Test
    void addressesTogetherAreLoggedOnceASecond() {
        assertThat(refusals.isDue(peer(1, 1_000))).isTrue();
        assertThat(refusals.isDue(peer(2, 1_000))).isFalse();

        now.addAndGet(SECOND);

        assertThat(refusals.isDue(peer(2, 1_000))).isTrue(); // it was not logged, so its minute had not begun
    }

    @Test
    void manyStrangersTakeNoMoreThanTheirRoom() {
        for (int i = 0; i <= 1_000; i++) {
            assertThat(refusals.isDue(peer(i, 1))).isTrue();
            now.addAndGet(SECOND / 1_000 + SECOND);
        }

        assertThat(refusals.remembered()).isEqualTo(1_000);
    }
}
