// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
    private final List<OutgoingEntry> waiting = new ArrayList<>();
    private final Heartbeat heartbeat = new Heartbeat(1_000, () -> 0, Runnable::run);
    private final CoreSession client = new CoreSession.Empty() {
        @Override
        public void sendFrame(OutgoingEntry entry) {
            waiting.add(entry);
        }
    };

    private void ping(String payload) throws Exception {
        heartbeat.answer(client, new Frame(OpCode.PING, payload));
    }

    private List<String> waiting() {
        return waiting.stream()
                .map(each -> OpCode.name(each.getFrame().getOpCode())
                        + " "
                        + StandardCharsets.UTF_8.decode(
                                each.getFrame().getPayload().duplicate()))
                .toList();
    }

    /** The client reads what waits first. */
    private void read() {
        waiting.remove(0).getCallback().succeeded();
    }

    @Test
    void ofPingsOfAClientWhoDoesNotReadTheNewestAloneIsAnswered() throws Exception {
        for (int i = 0; i < 100; i++) {
            ping("" + i);
        }
        assertThat(waiting()).containsExactly("PONG 0");

        read();
        assertThat(waiting()).containsExactly("PONG 99");
        read();
        assertThat(waiting()).isEmpty();

        ping("last");
        assertThat(waiting()).containsExactly("PONG last");
    }

    @Test
    void onePingWaitsAtMostAndOneAfterAnotherThatNothingAnswersIsSilence() {
        heartbeat.heard();
        for (int i = 0; i < 3; i++) {
            heartbeat.heard();
            assertThat(heartbeat.isSilent()).isFalse();
            heartbeat.ping(client);
        }
        assertThat(waiting()).containsExactly("PING ");

        assertThat(heartbeat.isSilent()).isFalse();
        heartbeat.ping(client);

        assertThat(heartbeat.isSilent()).isTrue();
    }
}
