// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.Rendered;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.JsonDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.message.StoredPut;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/** The example in JSON of docs/formats/stream.md is what the code reads and writes. */
class JsonFormatTest {
    private static final Pattern LINE = Pattern.compile("^(json\\w+) +(\\{.*})$", Pattern.MULTILINE);
    private static final String PAGE = page();
    private static final long NOW = 1_800_000_000_000L;
    private static final Problem NO_MEMORY = Problem.refused(503, "no-memory", "none");

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final JsonDecoder decoder = new JsonDecoder(100_000, () -> new RequestMemory(budget.of("user")));

    private static String page() {
        try {
            return Files.readString(Path.of(System.getProperty("talos.root"), "docs/formats/stream.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String documented(String name) {
        Matcher lines = LINE.matcher(PAGE);
        while (lines.find()) {
            if (lines.group(1).equals(name)) {
                return lines.group(2);
            }
        }
        throw new AssertionError("the page has no example named " + name);
    }

    private static ClientMessage read(String name) {
        return JsonDecoder.read(UTF_8.encode(documented(name)), NOW);
    }

    private static String text(ByteBuffer message) {
        return UTF_8.decode(message.duplicate()).toString();
    }

    private static InFlightPut put(long number) {
        return new InFlightPut(new ClientMessage.PutPassedOver(false, 3, "", number, 0, 0), 3);
    }

    @Test
    void clientsTextsAreReadAsDocumented() {
        ClientMessage.PutJson put = (ClientMessage.PutJson) read("jsonPut");
        assertThat(List.of(put.ordered(), put.partition(), put.key(), put.number(), put.bytes()))
                .isEqualTo(List.of(true, 3, "", 7L, documented("jsonPut").length()));
        assertThat(put.block().getCreateTimestamp()).isEqualTo(NOW);
        ClientMessage.PutJson byKey = (ClientMessage.PutJson) read("jsonPutByKey");
        assertThat(List.of(byKey.ordered(), byKey.partition(), byKey.key(), byKey.number()))
                .isEqualTo(List.of(false, -1, "k", 8L));
        assertThat(read("jsonSubscribe")).isEqualTo(new ClientMessage.Subscribe(3, ClientMessage.Subscribe.EARLIEST));
        assertThat(read("jsonUnsubscribe")).isEqualTo(new ClientMessage.Unsubscribe(3));
        assertThat(read("jsonGrant")).isEqualTo(new ClientMessage.Credit(65_536));
        assertThat(read("jsonJoin")).isEqualTo(new ClientMessage.Join("ship", "m1", 20_000, true));
        assertThat(read("jsonCommit")).isEqualTo(new ClientMessage.Commit(3, 13));
        assertThat(read("jsonLeave")).isEqualTo(new ClientMessage.Leave());
    }

    @Test
    void serversTextsAreWrittenAsDocumented() {
        JsonMessages json = JsonMessages.JSON;
        InFlightPut stored = put(7);
        stored.stored(new StoredPut(12, Delivery.IGNORED));
        Message message = new Message(UTF_8.encode("hello"));

        assertThat(text(json.opened(new StreamTerms(2 << 20, 2 << 20, 4, true))))
                .isEqualTo(documented("jsonOpened"));
        assertThat(text(json.stored(List.of(stored)))).isEqualTo(documented("jsonStored"));
        assertThat(text(json.refused(put(8), NO_MEMORY))).isEqualTo(documented("jsonRefused"));
        assertThat(text(json.credit(37))).isEqualTo(documented("jsonCredit"));
        assertThat(Rendered.text(
                        JsonMessages.message(3, 13, MessageJson.prepare(new MessageAndOffset(message, 12), Form.AUTO))))
                .isEqualTo(documented("jsonMessage"));
        assertThat(text(json.ended(3, NO_MEMORY))).isEqualTo(documented("jsonEnded"));
        assertThat(text(json.move(250, true))).isEqualTo(documented("jsonMove"));
    }

    @Test
    void groupsTextsAreWrittenAsDocumented() {
        JsonMessages json = JsonMessages.JSON;

        assertThat(text(json.joined("m1", 20_000))).isEqualTo(documented("jsonJoined"));
        assertThat(text(json.assigned(3, 12, 2))).isEqualTo(documented("jsonAssigned"));
        assertThat(text(json.revoking(3, 20_000))).isEqualTo(documented("jsonRevoking"));
        assertThat(text(json.revoked(3))).isEqualTo(documented("jsonRevoked"));
        assertThat(text(json.committed(3, 13))).isEqualTo(documented("jsonCommitted"));
        assertThat(text(json.commitRefused(3, 13, NO_MEMORY))).isEqualTo(documented("jsonCommitRefused"));
        assertThat(text(json.left(null))).isEqualTo(documented("jsonLeft"));
        assertThat(text(json.left(NO_MEMORY))).contains("no-memory");
    }

    @Test
    void textMayComeInPiecesOfAnySizeAndHoldsWhatItTakesUntilItIsRead() throws Exception {
        byte[] text = documented("jsonSubscribe").getBytes(UTF_8);
        for (int at = 0; at < text.length - 1; at++) {
            assertThat(decoder.take(ByteBuffer.wrap(text, at, 1), false)).isNull();
        }
        assertThat(decoder.received()).isEqualTo(text.length - 1);

        ClientMessage.Text whole = (ClientMessage.Text)
                Objects.requireNonNull(decoder.take(ByteBuffer.wrap(text, text.length - 1, 1), true));

        assertThat(whole.bytes()).isEqualTo(ByteBuffer.wrap(text));
        assertThat(decoder.received()).isZero();
        assertThat(budget.used()).isPositive();
        whole.memory().close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void textThatIsCutGivesBackWhatItHeld() throws Exception {
        assertThat(decoder.take(ByteBuffer.allocate(50_000), false)).isNull();
        assertThat(budget.used()).isGreaterThanOrEqualTo(50_000);

        decoder.close();

        assertThat(budget.used()).isZero();
    }

    @Test
    void textWithoutMemoryOrTooLargeEndsTheStream() {
        JsonDecoder poor = new JsonDecoder(4 << 20, () -> new RequestMemory(budget.of("user")));
        assertThatThrownBy(() -> poor.take(ByteBuffer.allocate(2 << 20), false))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.LATER));
        assertThatThrownBy(() -> decoder.take(ByteBuffer.allocate(100_001), false))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.TOO_LARGE));
    }
}
