// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;
import org.talos.server.http.connection.PendingHeads.Place;

final class PendingHeadsTest {
    private final PendingHeads heads = new PendingHeads(2);
    private final ByteArrayEndPoint first = new ByteArrayEndPoint();
    private final ByteArrayEndPoint second = new ByteArrayEndPoint();
    private final ByteArrayEndPoint third = new ByteArrayEndPoint();

    private Place begin(ByteArrayEndPoint endPoint, long beganNanos) {
        Place place = heads.placeOf(beganNanos);
        heads.begin(place, endPoint);
        return place;
    }

    @Test
    void beyondTheBoundTheConnectionWhoseHeadBeganFirstIsClosed() {
        begin(second, Long.MAX_VALUE);
        begin(first, Long.MAX_VALUE - 1);
        assertThat(first.isOpen()).isTrue();

        begin(third, Long.MIN_VALUE); // the clock has overflowed

        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(third.isOpen()).isTrue();
    }

    @Test
    void connectionThatSendsByteByByteKeepsItsPlace() {
        Place place = begin(first, 1);
        begin(second, 2);
        heads.end(place);
        begin(first, 1);

        begin(third, 3);

        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
    }

    @Test
    void connectionThatReceivesTheRestWaitsNoMore() {
        Place place = begin(first, 1);
        begin(second, 1);
        heads.end(place);

        begin(third, 1);

        assertThat(first.isOpen()).isTrue();
        assertThat(second.isOpen()).isTrue();
    }

    @Test
    void connectionThatWasClosedMeanwhileTakesNoPlace() {
        first.close();
        begin(first, 1);
        begin(second, 2);

        begin(third, 3);

        assertThat(second.isOpen()).isTrue();
        assertThat(third.isOpen()).isTrue();
        begin(new ByteArrayEndPoint(), 4);
        assertThat(second.isOpen()).isFalse();
    }
}
