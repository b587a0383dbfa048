// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void neverMorePassesThanRateAndBurstAndOneAmount(long seed) {
        Random random = new Random(seed);
        long rate = 1L + random.nextInt(100_000);
        long largest = 1L + random.nextInt(50_000);
        long now = random.nextLong() / 4;
        long begin = now;
        TokenBucket bucket = new TokenBucket(rate, now);
        double passed = 0;
        for (int i = 0; i < 5_000; i++) {
            now += (long) (random.nextDouble() * random.nextInt(3) * SECOND * largest / rate);
            long amount = 1L + random.nextInt((int) largest);
            if (bucket.waitNanos(now) == 0) {
                bucket.take(amount, now);
                passed += amount;
            }
            double allowed = rate * ((now - begin) / (double) SECOND + 1) + largest + 1;
            assertThat(passed).as("seed %d step %d", seed, i).isLessThanOrEqualTo(allowed);
        }
    }

    @Test
    void callerThatWaitsAsAnsweredPassesThen() {
        TokenBucket bucket = new TokenBucket(10, 0);
        for (int i = 0; i < 20; i++) {
            if (bucket.waitNanos(0) == 0) {
                bucket.take(1, 0);
            }
        }
        long wait = bucket.waitNanos(0);

        assertThat(wait).isPositive();
        assertThat(bucket.waitNanos(wait - 1)).isEqualTo(1);
        assertThat(bucket.waitNanos(wait)).isZero();
    }

    @Test
    void steadyStreamAtTheRateIsNeverHeldUp() {
        TokenBucket bucket = new TokenBucket(100, 0);
        for (long now = 0; now < 60 * SECOND; now += SECOND / 100) {
            assertThat(bucket.waitNanos(now)).isZero();
            bucket.take(1, now);
        }
    }

    @Test
    void debtOfOneHugeAmountIsBounded() {
        TokenBucket bucket = new TokenBucket(1, 0);
        bucket.take(Long.MAX_VALUE, 0);

        assertThat(bucket.waitNanos(0)).isLessThanOrEqualTo(TimeUnit.HOURS.toNanos(1));
    }

    @Test
    void debtOfManyIsBoundedAsThatOfOne() {
        TokenBucket bucket = new TokenBucket(1, 0);
        for (int i = 0; i < 100; i++) {
            bucket.take(Long.MAX_VALUE, 0); // gets that ran side by side are counted when they end
        }

        assertThat(bucket.waitNanos(0)).isLessThanOrEqualTo(TimeUnit.HOURS.toNanos(1));
    }
}
