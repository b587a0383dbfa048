// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;

class WaitingRequestsTest {
    private final WaitingRequests waiting = new WaitingRequests(2);

    @Test
    void eachUserHasABoundOfTheirOwn() {
        waiting.enter("ann");
        waiting.enter("ann");

        assertThatThrownBy(() -> waiting.enter("ann")).isInstanceOf(TalosException.class);
        assertThatThrownBy(() -> waiting.requireRoom("ann")).isInstanceOf(TalosException.class);
        assertThatCode(() -> waiting.enter("bob")).doesNotThrowAnyException();
        waiting.leave("ann");
        assertThatCode(() -> waiting.enter("ann")).doesNotThrowAnyException();
    }

    /** With a service key, a client chooses the ids. */
    @Test
    void usersOfWhomNothingWaitsTakeNoMemory() {
        for (int i = 0; i < 1_000; i++) {
            String user = "user-" + i;
            waiting.requireRoom(user);
            waiting.enter(user);
            waiting.enter(user);
            assertThatThrownBy(() -> waiting.enter(user)).isInstanceOf(TalosException.class);
            waiting.leave(user);
            waiting.leave(user);
        }

        assertThat(waiting.users()).isZero();
    }
}
