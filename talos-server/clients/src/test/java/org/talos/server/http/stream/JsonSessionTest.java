// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.JsonDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.message.StoredPut;

/** Tests where a session of texts differs from one of binary messages. */
class JsonSessionTest {
    private static final int WINDOW = 100_000;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final StreamSession session = new StreamSession(
            new StreamTerms(WINDOW, WINDOW, 4, true),
            JsonMessages.JSON,
            new FourPlaces(),
            new RequestMemory(budget.of("user")));

    private void send(String json) throws StreamEndException {
        session.received(JsonDecoder.read(UTF_8.encode(json.replace('\'', '"')), 1));
    }

    private List<String> written() {
        List<String> all = new ArrayList<>();
        for (Outgoing next = session.nextOutgoing(); next != null; next = session.nextOutgoing()) {
            all.add(UTF_8.decode(next.parts().get(0).duplicate()).toString());
            session.written(next);
        }
        return all;
    }

    private StreamWork work() {
        return Objects.requireNonNull(session.nextWork());
    }

    @Test
    void putIsPaidForWhenItHasBeenRead() throws Exception {
        String put = "{'type':'put','number':1,'partition':0,'value':'" + "m".repeat(WINDOW / 2) + "'}";
        send(put);
        InFlightPut begun = ((StreamWork.BeginPut) work()).put();
        assertThat(budget.used()).isGreaterThan(WINDOW / 2);
        assertThatThrownBy(() -> send(put))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.NOT_ALLOWED));

        session.stored(begun, new StoredPut(0, Delivery.IGNORED));

        assertThat(written()).last().asString().contains("\"credit\"", "\"bytes\":" + put.length());
        assertThat(budget.used()).isZero();
        send(put);
        assertThat(work()).isInstanceOf(StreamWork.BeginPut.class);
    }

    @Test
    void orderedPutBehindAWrongOneIsRefusedWithIt() throws Exception {
        send("{'type':'put','number':1,'partition':0,'value':7}");
        send("{'type':'put','number':2,'partition':0,'ordered':true,'value':'a'}");

        assertThat(session.nextWork()).isNull();
        assertThat(String.join("\n", written())).containsSubsequence("bad-request", "put-before-refused");
        assertThat(budget.used()).isZero();
    }

    @Test
    void restOfACutBlockIsReadOnceHalfOfTheWindowIsFree() throws Exception {
        send("{'type':'subscribe','partition':0,'from':0}");
        StreamWork.Read read = (StreamWork.Read) work();
        RequestMemory held = new RequestMemory(budget.of("user"));
        List<Found.Piece> pieces = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pieces.add(Found.Text.of(i, () -> Bytes.ascii("x".repeat(30_000)), 1 << 20, held));
        }
        session.read(read.subscription(), new Found(0, 4, pieces, held));
        assertThat(written()).hasSize(4); // and opened

        session.received(new ClientMessage.Credit(30_000));
        assertThat(session.nextWork()).as("a third of the window").isNull();
        session.received(new ClientMessage.Credit(30_000));

        assertThat(((StreamWork.Read) work()).offset()).isEqualTo(3);
    }
}
