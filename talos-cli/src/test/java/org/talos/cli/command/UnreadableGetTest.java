// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Answer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;

/** The behavior of {@code get} at a block that cannot be read: offsets 1 to 2 of four. */
@Timeout(30)
class UnreadableGetTest {
    @AutoClose
    private final ScriptedCommand talos;

    UnreadableGetTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(UnreadableGetTest::answer);
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Answer answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(1);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(
                        List.of(new OffsetInfo(0).setStartOffset(0).setEndOffset(3))));
            default -> messages(new Asked("POST", uri, Map.of(), body).request(new GetMessageRequest()));
        };
        answer.to(exchange, body);
    }

    private static Answer messages(GetMessageRequest asked) {
        MessageBlock broken = new MessageBlock(1, 2, MessageCompressionType.GZIP, ByteBuffer.wrap(new byte[] {'x'}));
        List<MessageBlock> all = List.of(block(0, "before"), broken, block(3, "behind"));
        List<MessageBlock> from = all.subList((int) (Math.max(0, asked.getMessageOffset()) + 1) / 2, 3);
        return result(new GetMessageResponse(from, from.size(), "x"));
    }

    private static MessageBlock block(long offset, String text) {
        Message message = new Message(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        return MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                .setStartMessageOffset(offset);
    }

    @Test
    void messagesBeforeItArePrintedAndThenHowToContinue() {
        assertThat(talos.call("get", "orders")).isEqualTo(1);

        assertThat(talos.out()).isEqualTo("before\n");
        assertThat(talos.err())
                .contains("partition 0 of orders: the block of offsets 1 to 2 cannot be read")
                .contains("--partition 0 --from 3")
                .contains("--skip-unreadable");
    }

    @Test
    void programsGetCodeAndOutcome() {
        assertThat(talos.call("get", "orders", "-o", "json")).isEqualTo(1);

        assertThat(talos.err()).contains("\"code\":\"MALFORMED\"", "\"outcome\":\"did-not-happen\"", "--from 3");
    }

    @Test
    void theRestIsPrintedWithoutItIfThatIsWanted() {
        assertThat(talos.call("get", "orders", "--skip-unreadable")).isZero();

        assertThat(talos.out()).isEqualTo("before\nbehind\n");
        assertThat(talos.err())
                .contains("talos: left out: MALFORMED: partition 0")
                .contains("offsets 1 to 2");
    }

    @Test
    void followingGoesOnBehindItIfThatIsWanted() {
        assertThat(talos.call("get", "orders", "--follow", "--count", "2", "--skip-unreadable"))
                .isZero();

        assertThat(talos.out()).isEqualTo("before\nbehind\n");
    }
}
