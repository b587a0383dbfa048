// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class FailedKeysTest {
    private final AtomicLong now = new AtomicLong(7);
    private final FailedKeys failed = new FailedKeys(2, 3, now::get);

    @Test
    void failureIsWithinTheBoundAgainOnceOneHasLeaked() {
        assertThat(failed.failed("a")).isTrue();
        assertThat(failed.failed("a")).isTrue();
        assertThat(failed.failed("a")).isFalse();
        assertThat(failed.failed("b")).isTrue();

        now.addAndGet(Duration.ofSeconds(29).toNanos());
        assertThat(failed.failed("a")).isFalse();
        now.addAndGet(Duration.ofSeconds(31).toNanos());
        assertThat(failed.failed("a")).isTrue();
    }

    @Test
    void addressesAreRememberedUpToABoundTheLatestOnes() {
        for (String address : new String[] {"a", "b", "c", "a", "d"}) {
            failed.failed(address);
        }

        assertThat(failed.addresses()).isEqualTo(3);
        assertThat(failed.failed("b")).isTrue();
        assertThat(failed.failed("a")).isFalse();
    }
}
