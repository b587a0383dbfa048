// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Events of an address or a user count whatever the connection, and what does not come any more is forgotten. */
class EventCountsTest {
    private static final int PER_SECOND = 100;
    private static final int BURST = PER_SECOND * EventCounts.BURST_SECONDS;
    private static final long SECOND = 1_000_000_000L;

    private final EventCounts counts = new EventCounts(PER_SECOND, 3);
    private long nanos = 17 * SECOND;

    /** Counts events until one is too many, or so many have come; returns how many were not too many. */
    private int count(String key, int events) {
        for (int i = 0; i < events; i++) {
            if (!counts.count(key, nanos)) {
                return i;
            }
        }
        return events;
    }

    @Test
    void soManyEventsMayComeAtOnceAndThenAsManyAsTheRateSays() {
        assertThat(count("a", 2 * BURST)).isEqualTo(BURST);

        nanos += SECOND;

        assertThat(count("a", 2 * BURST)).isEqualTo(PER_SECOND);
    }

    @Test
    void clientBelowTheRateIsNeverRefused() {
        for (int second = 0; second < 3_600; second++) {
            assertThat(count("a", PER_SECOND)).isEqualTo(PER_SECOND);
            nanos += SECOND;
        }
        assertThat(counts.isRefused("a", nanos)).isFalse();
    }

    @Test
    void keysCountApart() {
        assertThat(count("a", 2 * BURST)).isEqualTo(BURST);

        assertThat(count("b", BURST)).isEqualTo(BURST);
    }

    @Test
    void keyThatContinuesOverNewConnectionsIsRefusedForAWhile() {
        count("a", BURST);
        for (int ended = 0; ended < EventCounts.MOST_ENDED; ended++) {
            assertThat(counts.count("a", nanos)).isFalse();
            assertThat(counts.isRefused("a", nanos)).isFalse();
        }

        assertThat(counts.count("a", nanos)).isFalse();

        assertThat(counts.isRefused("a", nanos)).isTrue();
        assertThat(counts.isRefused("b", nanos)).isFalse();
        nanos += EventCounts.REFUSED_NANOS - 1;
        assertThat(counts.count("a", nanos)).isFalse();
        nanos++;
        assertThat(counts.isRefused("a", nanos)).isFalse();
        assertThat(count("a", BURST)).as("as one that is new").isEqualTo(BURST);
    }

    @Test
    void connectionsThatEndedBeforeTheBucketWasEmptyDoNotCountAnyMore() {
        for (int burst = 0; burst < 3 * EventCounts.MOST_ENDED; burst++) {
            assertThat(count("a", 2 * BURST)).isEqualTo(BURST);
            nanos += SECOND * EventCounts.BURST_SECONDS;
        }

        assertThat(counts.isRefused("a", nanos)).isFalse();
    }

    @Test
    void keyWhoseEventsAreOverIsForgotten() {
        count("a", 1);
        count("b", BURST);
        nanos += SECOND;

        count("c", 1);

        assertThat(counts.keys()).isEqualTo(2);
    }

    @Test
    void ofTooManyKeysTheOneThatWasCountedLongestAgoIsForgotten() {
        count("a", BURST);
        count("b", BURST);
        count("c", BURST);
        assertThat(counts.count("a", nanos)).isFalse();

        assertThat(count("d", 1)).isEqualTo(1);

        assertThat(counts.keys()).isEqualTo(3);
        assertThat(counts.count("a", nanos)).as("not a").isFalse();
        assertThat(count("b", 1)).as("but b").isEqualTo(1);
    }
}
