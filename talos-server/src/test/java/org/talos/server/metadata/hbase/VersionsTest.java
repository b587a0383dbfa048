// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.server.metadata.MetadataException;

final class VersionsTest {
    private static final InstantSource NOW = InstantSource.fixed(Instant.ofEpochMilli(1_700_000_000_000L));
    private static final InstantSource LONG_AGO = InstantSource.fixed(Instant.ofEpochMilli(0));

    @Test
    void versionsAreAsDocumented() throws Exception {
        assertThat(new Versions(NOW, 3).above(0))
                .isEqualTo((1_700_000_000_000L << 21) | 3)
                .isPositive();
    }

    @Test
    void openingsThatTakeTurnsAtARowGrowWhateverTheirClocksSay() throws Exception {
        Versions ahead = new Versions(NOW, 1);
        Versions behind = new Versions(LONG_AGO, 2);
        Set<Long> given = new HashSet<>();

        long version = 0;
        for (int i = 0; i < 100; i++) {
            long next = (i % 2 == 0 ? ahead : behind).above(version);
            assertThat(next).isGreaterThan(version);
            assertThat(given.add(next)).isTrue();
            version = next;
        }
    }

    @Test
    void openingsNeverMakeTheSame() throws Exception {
        Versions one = new Versions(NOW, 1);
        Versions other = new Versions(NOW, 2);
        Set<Long> given = new HashSet<>();

        for (int i = 0; i < 100; i++) {
            assertThat(given.add(one.above(0))).isTrue();
            assertThat(given.add(other.above(0))).isTrue();
        }
    }

    @Test
    void openingsNumberComesRoundAndIsNoPartOfTheTime() throws Exception {
        assertThat(new Versions(NOW, (1L << 17) + 3).above(0)).isEqualTo(new Versions(NOW, 3).above(0));
    }

    @Test
    void timeBeyondItsBitsIsRefused() {
        assertThatThrownBy(() -> new Versions(NOW, 1).above(Long.MAX_VALUE))
                .isInstanceOf(MetadataException.class)
                .hasMessageContaining("2100");
    }
}
