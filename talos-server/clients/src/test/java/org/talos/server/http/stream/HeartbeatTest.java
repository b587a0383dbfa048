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
    private static final boolean ASKS = true;
    private static final boolean MAY_BE_QUIET = false;

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

    /** The heartbeats from now on, each of which the client reads at once, until it is disconnected. */
    private List<String> signs(int most, boolean asks) {
        List<String> shown = new ArrayList<>();
        while (shown.size() < most && !heartbeat.isSilent()) {
            heartbeat.show(client, asks);
            shown.addAll(waiting());
            read();
        }
        return shown;
    }

    @Test
    void clientThatOnlyWaitsIsAskedByTheThirdSignInARow() {
        heartbeat.heard();
        assertThat(signs(3, MAY_BE_QUIET)).containsExactly("PONG ", "PONG ", "PING ");

        heartbeat.heard(); // its answer
        assertThat(signs(2, MAY_BE_QUIET)).containsExactly("PONG ", "PONG ");
        heartbeat.heard(); // whatever it sends: it need not be asked
        assertThat(signs(3, MAY_BE_QUIET)).containsExactly("PONG ", "PONG ", "PING ");
    }

    @Test
    void clientWhoIsGoneIsAskedTwiceAndAbandonedWhenTheNextSignIsDue() {
        heartbeat.heard();
        assertThat(signs(100, MAY_BE_QUIET)).containsExactly("PONG ", "PONG ", "PING ", "PING ");
    }

    @Test
    void clientForWhomSomebodyWaitsIsAskedByEachSign() {
        heartbeat.heard();
        assertThat(signs(2, ASKS)).containsExactly("PING ", "PING ");
        heartbeat.heard();

        assertThat(signs(100, ASKS)).containsExactly("PING ", "PING ");
    }

    @Test
    void clientOnceAskedIsAskedUntilItAnswers() {
        heartbeat.heard();
        assertThat(signs(1, ASKS)).containsExactly("PING ");

        assertThat(signs(100, MAY_BE_QUIET)).containsExactly("PING ");
    }

    @Test
    void oneSignOfAKindWaitsAtMostAndThePingIsNotHeldUpByThePong() {
        for (int i = 0; i < 3; i++) {
            assertThat(heartbeat.isSilent()).isFalse();
            heartbeat.show(client, MAY_BE_QUIET);
        }
        assertThat(waiting()).containsExactly("PONG ", "PING ");

        for (int i = 0; i < 10; i++) {
            heartbeat.heard();
            assertThat(heartbeat.isSilent()).isFalse();
            heartbeat.show(client, ASKS);
        }
        assertThat(waiting()).containsExactly("PONG ", "PING ");

        read();
        read();
        assertThat(heartbeat.isSilent()).isFalse();
        heartbeat.show(client, ASKS);
        assertThat(waiting()).containsExactly("PING ");
        assertThat(heartbeat.isSilent()).isTrue();
    }
}
