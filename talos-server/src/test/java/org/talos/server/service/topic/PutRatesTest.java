// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PutRatesTest {
    private final PutRates rates = new PutRates();

    private PutRates.Rates look(String topic, long seconds, Map<Integer, Long> ends) {
        return rates.look(topic, ends, TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void firstLookKnowsNoRateAndTheNextHasThatSinceTheFirst() {
        assertThat(look("a", 10, Map.of(0, 100L)).of(0)).isEmpty();

        assertThat(look("a", 14, Map.of(0, 120L)).of(0)).hasValue(5);
        assertThat(look("a", 24, Map.of(0, 120L)).of(0)).hasValue(0);
    }

    @Test
    void looksCloseToEachOtherAreComparedWithAnEarlierOne() {
        look("a", 10, Map.of(0, 100L));
        look("a", 20, Map.of(0, 200L));

        assertThat(look("a", 21, Map.of(0, 320L)).of(0)).hasValue(20);
        assertThat(look("a", 21, Map.of(0, 320L)).of(0)).hasValue(20);
    }

    @Test
    void lookOfLongAgoSaysNothing() {
        look("a", 10, Map.of(0, 100L));

        assertThat(look("a", 100, Map.of(0, 120L)).of(0)).isEmpty();
    }

    @Test
    void partitionWithoutAServerHasNoRate() {
        look("a", 10, Map.of(0, 100L));

        PutRates.Rates now = look("a", 20, Map.of(1, 10L));

        assertThat(now.of(0)).isEmpty();
        assertThat(now.of(1)).isEmpty();
    }

    @Test
    void onlyTheLatestTopicsAreRemembered() {
        look("a", 10, Map.of(0, 100L));
        for (int i = 0; i < PutRates.MOST_TOPICS; i++) {
            look("other" + i, 10, Map.of(0, 1L));
        }

        assertThat(look("a", 20, Map.of(0, 200L)).of(0)).isEmpty();
    }
}
