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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Answer;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;

/** Tests commands whose output nobody reads any more, as behind {@code | head}. */
@Timeout(30)
class ReaderGoneTest {
    @AutoClose
    private final ScriptedCommand talos;

    ReaderGoneTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(ReaderGoneTest::answer);
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Answer answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(1);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(
                        List.of(new OffsetInfo(0).setStartOffset(0).setEndOffset(0))));
            default -> result(new GetMessageResponse(List.of(block()), 1, "x"));
        };
        answer.to(exchange, body);
    }

    private static MessageBlock block() {
        Message message = new Message(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)));
        return MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                .setStartMessageOffset(0);
    }

    @Test
    void getEndsWithoutAWordAsOtherToolsDo() {
        assertThat(talos.withoutReader().call("get", "orders")).isEqualTo(141);

        assertThat(talos.err()).isEmpty();
    }

    @Test
    void outputThatFindsNoRoomIsAFailure() {
        assertThat(talos.withoutRoomForOutput().call("get", "orders")).isEqualTo(1);

        assertThat(talos.err()).contains("No space left on device").doesNotContain("java.io");
    }
}
