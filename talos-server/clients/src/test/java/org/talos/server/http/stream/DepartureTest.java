// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DepartureTest {
    private final Departure departure = new Departure(0);

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void clientIsLetGoOnceItHasBeenQuietForAWhileAfterItKnew() {
        assertThat(departure.leftMillis(at(5_000))).isBetween(200L, 201L);
        assertThat(departure.leftMillis(at(5_150))).isBetween(50L, 51L);

        assertThat(departure.leftMillis(at(5_200))).isZero();
    }

    @Test
    void whatComesMeanwhileIsWaitedFor() {
        var unused = departure.leftMillis(at(5_000));

        departure.asked(at(5_150));

        assertThat(departure.leftMillis(at(5_200))).isBetween(150L, 151L);
        assertThat(departure.leftMillis(at(5_350))).isZero();
    }

    @Test
    void clientThatGoesOnIsLetGoAllTheSame() {
        for (long now = 5_000; now < 7_000; now += 50) {
            departure.asked(at(now));
            assertThat(departure.leftMillis(at(now))).isPositive();
        }
        departure.asked(at(7_000));

        assertThat(departure.leftMillis(at(7_000))).isZero();
    }
}
