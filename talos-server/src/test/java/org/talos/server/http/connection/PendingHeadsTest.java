// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;

final class PendingHeadsTest {
    private final PendingHeads heads = new PendingHeads(2);
    private final ByteArrayEndPoint first = new ByteArrayEndPoint();
    private final ByteArrayEndPoint second = new ByteArrayEndPoint();
    private final ByteArrayEndPoint third = new ByteArrayEndPoint();

    @Test
    void beyondTheBoundTheConnectionThatHasWaitedLongestIsClosed() {
        heads.begin(first);
        heads.begin(second);
        assertThat(first.isOpen()).isTrue();

        heads.begin(third);

        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(third.isOpen()).isTrue();
    }

    @Test
    void connectionThatReceivesTheRestWaitsNoMore() {
        heads.begin(first);
        heads.begin(second);
        heads.end(first);

        heads.begin(third);

        assertThat(first.isOpen()).isTrue();
        assertThat(second.isOpen()).isTrue();
    }
}
