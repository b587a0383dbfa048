// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;

class MemberIdTest {
    private static final long LONGEST = 30_000;

    @ParameterizedTest
    @ValueSource(strings = {"10_0_0_1-rest-60-0123456789abcdef", "10_0_0_1-rest-0-0123456789abcdef", "10_0_0_1-rest"})
    void nameWithALeaseThatNobodyIsGivenIsNoMembers(String made) {
        assertThatThrownBy(() -> MemberId.parse(made, LONGEST))
                .isInstanceOf(TalosException.class)
                .hasMessageContaining("no such member");
    }

    /** The name may be any text, and comes back with each call. */
    @Test
    void nameThatTakesTooMuchRoomInRowsIsNoMembers() {
        String made = "\u0001".repeat(100) + "-rest-8000-0123456789abcdef";

        assertThatThrownBy(() -> MemberId.parse(made, LONGEST))
                .isInstanceOf(TalosException.class)
                .hasMessageContaining("no such member");
    }

    @Test
    void leaseIsThatOfTheNameAndNoLongerThanTheServers() {
        assertThat(MemberId.parse(
                                MemberId.create(MemberKind.REST, "10.0.0.1", 8_000)
                                        .text(),
                                LONGEST)
                        .leaseMillis())
                .isEqualTo(8_000);
        assertThat(MemberId.parse(
                                MemberId.create(MemberKind.REST, "10.0.0.1", 60_000)
                                        .text(),
                                LONGEST)
                        .leaseMillis())
                .isEqualTo(LONGEST);
    }

    @Test
    void workerWhoseNameClaimsMoreThanTheLongestLeaseMayBeSilentNoLonger() {
        assertThat(MemberId.leaseMillis("10_0_0_1-rest-999999999-0123456789abcdef", LONGEST))
                .isEqualTo(LONGEST);
    }

    @Test
    void nameSaysByWhatItsMemberJoined() {
        for (MemberKind kind : List.of(MemberKind.REST, MemberKind.STREAM)) {
            assertThat(MemberKind.of(MemberId.create(kind, "10.0.0.1", 8_000).text()))
                    .isEqualTo(kind);
        }
        assertThat(MemberKind.of("10_0_0_1-1700000000000-5b2f")).isEqualTo(MemberKind.SDK);
    }

    @Test
    void shortestLeaseIsNoLongerThanTheLongest() {
        assertThat(MemberId.shortestLeaseMillis(LONGEST)).isEqualTo(1_000);
        assertThat(MemberId.shortestLeaseMillis(400)).isEqualTo(400);
    }

    @Test
    void leaseOfAServerWhoseLongestIsShorterIsThat() {
        assertThat(MemberId.parse(
                                MemberId.create(MemberKind.REST, "10.0.0.1", 400)
                                        .text(),
                                400)
                        .leaseMillis())
                .isEqualTo(400);
    }
}
