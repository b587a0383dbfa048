// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RequestRoomTest {
    private final RequestRoom room = new RequestRoom(8);

    private int fill(String user) {
        int entered = 0;
        while (room.tryEnter(user)) {
            entered++;
        }
        return entered;
    }

    @Test
    void oneUserAloneHasHalfOfThePlaces() {
        assertThat(fill("ann")).isEqualTo(4);
        assertThat(room.tryEnter("bob")).isTrue();
    }

    @Test
    void usersWhoTakeAllTheyCanLeaveAPlaceForTheNext() {
        for (String user : List.of("ann", "bob", "cid")) {
            assertThat(fill(user)).isPositive();
        }

        assertThat(room.tryEnter("dan")).isTrue();
    }

    @Test
    void onlyPlaceIsForWhoeverComesFirst() {
        RequestRoom small = new RequestRoom(1);

        assertThat(small.tryEnter("ann")).isTrue();
        assertThat(small.tryEnter("bob")).isFalse();
        small.leave("ann");
        assertThat(small.tryEnter("bob")).isTrue();
    }
}
