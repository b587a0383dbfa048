// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnonymousMemoryTest {
    private static final long ALL_BYTES = 1 << 20;
    private static final long USUAL_SIGN_IN_BYTES = 6 << 10;
    private static final long LARGEST_SIGN_IN_BYTES = 37 << 10;

    private final MemoryBudget all = new MemoryBudget(ALL_BYTES);
    private final AnonymousMemory anonymous = new AnonymousMemory(all);

    /** Takes all that can be had, piece by piece. */
    private static void fill(MemoryBudget.Share share) {
        while (share.tryReserve(1)) {
            assertThat(share.mostBytes()).isPositive();
        }
    }

    @Test
    void networksTogetherHoldAQuarterAtMost() {
        for (int network = 0; network < 100; network++) {
            fill(anonymous.of("198.51.100." + network));
        }

        assertThat(all.used()).isLessThanOrEqualTo(ALL_BYTES / 4);
        assertThat(all.of("ada").tryReserve(ALL_BYTES / 4)).isTrue();
    }

    @Test
    void oneNetworkLeavesRoomForAnother() {
        fill(anonymous.of("198.51.100.1"));

        assertThat(anonymous.of("198.51.100.2").tryReserve(ALL_BYTES / 16)).isTrue();
    }

    @Test
    void signingInHasMemoryWhenAllOthersHaveNone() {
        fill(anonymous.of("198.51.100.1"));
        assertThat(all.tryReserve(ALL_BYTES - all.used())).isTrue();
        assertThat(anonymous.of("198.51.100.2").tryReserve(1)).isFalse();

        assertThat(anonymous.signingIn("198.51.100.1").tryReserve(USUAL_SIGN_IN_BYTES))
                .isTrue();
    }

    @Test
    void fewNetworksThatSignInLeaveRoomToOthers() {
        for (int network = 0; network < 12; network++) {
            fill(anonymous.signingIn("198.51.100." + network));
        }

        assertThat(anonymous.signingIn("203.0.113.1").tryReserve(LARGEST_SIGN_IN_BYTES))
                .isTrue();
    }

    @Test
    void networkThatSignsInMostIsRefusedFirst() {
        fill(anonymous.signingIn("198.51.100.1"));
        MemoryBudget.Share few = anonymous.signingIn("203.0.113.1");
        assertThat(few.tryReserve(USUAL_SIGN_IN_BYTES)).isTrue();

        assertThat(anonymous.signingIn("198.51.100.1").tryReserve(1)).isFalse();
        assertThat(few.tryReserve(USUAL_SIGN_IN_BYTES)).isTrue();
    }

    @Test
    void manyPeopleBehindOneAddressSignInAtOnce() {
        AnonymousMemory large = new AnonymousMemory(new MemoryBudget(256 << 20));
        for (int network = 0; network < 8; network++) { // strangers that send nothing more
            assertThat(large.signingIn("198.51.100." + network).tryReserve(LARGEST_SIGN_IN_BYTES))
                    .isTrue();
        }

        MemoryBudget.Share office = large.signingIn("203.0.113.1");
        for (int person = 0; person < 75; person++) {
            assertThat(office.tryReserve(USUAL_SIGN_IN_BYTES)).isTrue();
        }
    }

    @Test
    void strangersWithDozensOfNetworksKeepNobodyFromSigningIn() {
        AnonymousMemory large = new AnonymousMemory(new MemoryBudget(256 << 20));
        for (int network = 0; network < 80; network++) {
            MemoryBudget.Share stranger = large.signingIn("198.51.100." + network);
            while (stranger.tryReserve(LARGEST_SIGN_IN_BYTES)) {
                assertThat(stranger.mostBytes()).isPositive();
            }
        }

        assertThat(large.signingIn("203.0.113.1").tryReserve(LARGEST_SIGN_IN_BYTES))
                .isTrue();
    }

    @Test
    void manyNetworksSignInAtOnceWhereRequestsHaveMuchMemory() {
        AnonymousMemory large = new AnonymousMemory(new MemoryBudget(256 << 20));

        for (int network = 0; network < 200; network++) {
            assertThat(large.signingIn("198.51.100." + network).tryReserve(LARGEST_SIGN_IN_BYTES))
                    .isTrue();
        }
    }

    @Test
    void whatDoesNotFitIsCountedNowhere() {
        assertThat(all.tryReserve(ALL_BYTES)).isTrue();
        MemoryBudget.Share share = anonymous.of("198.51.100.1");
        assertThat(share.tryReserve(1)).isFalse();
        all.release(ALL_BYTES);

        assertThat(share.tryReserve(ALL_BYTES / 8)).isTrue();
        assertThat(all.used()).isEqualTo(ALL_BYTES / 8);
        share.release(ALL_BYTES / 8);
        share.take(5);
        assertThat(all.used()).isEqualTo(5);
    }
}
