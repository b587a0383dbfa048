// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class FailedKeysTest {
    private final AtomicLong now = new AtomicLong(7);
    private final FailedKeys failed = new FailedKeys(2, 3, now::get);

    @Test
    void addressMayTryAgainOnceAFailureHasLeaked() {
        failed.failed("a");
        assertThat(failed.tooMany("a")).isFalse();
        failed.failed("a");
        failed.failed("a");
        assertThat(failed.tooMany("a")).isTrue();
        assertThat(failed.tooMany("b")).isFalse();

        now.addAndGet(Duration.ofSeconds(29).toNanos());
        assertThat(failed.tooMany("a")).isTrue();
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(failed.tooMany("a")).isFalse();
    }

    @Test
    void addressesAreRememberedUpToABoundTheLatestOnes() {
        for (String address : new String[] {"a", "b", "c", "a", "d"}) {
            failed.failed(address);
        }

        assertThat(failed.addresses()).isEqualTo(3);
        failed.failed("b");
        assertThat(failed.tooMany("b")).isFalse();
        assertThat(failed.tooMany("a")).isTrue();
    }
}
