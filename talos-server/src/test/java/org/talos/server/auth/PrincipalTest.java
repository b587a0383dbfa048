// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PrincipalTest {
    private static Principal of(String user, String... orgs) {
        Principal.Memberships memberships = new Principal.Memberships(Set.of(orgs), Set.of("team"));
        return new Principal(user, "AK", false, false, Set.of(user), memberships, null);
    }

    @Test
    void usersOfOneOrgTakeTheSameTurns() {
        assertThat(of("ann", "CL9").turnId()).isEqualTo(of("bob", "CL9").turnId());
        assertThat(of("ann", "CL9", "CL7").turnId()).isEqualTo(of("bob", "CL7").turnId());
    }

    @Test
    void othersTakeTurnsOfTheirOwn() {
        assertThat(of("ann").turnId()).isNotEqualTo(of("bob").turnId());
        assertThat(of("ann", "CL9").turnId()).isNotEqualTo(of("ann", "CL8").turnId());
        assertThat(of("CL9").turnId())
                .as("a user who is named as an org")
                .isNotEqualTo(of("ann", "CL9").turnId());
    }
}
