// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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

/** Two messages come between two gets of {@code get --follow --from latest}, into a partition that had none. */
@Timeout(30)
class FollowLatestTest {
    private final AtomicInteger gets = new AtomicInteger();

    @AutoClose
    private final ScriptedCommand talos;

    FollowLatestTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(this::answer);
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        var answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(1);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(
                        List.of(new OffsetInfo(0).setStartOffset(0).setEndOffset(-1))));
            default -> {
                long from = new Asked("POST", uri, Map.of(), body)
                        .request(new GetMessageRequest())
                        .getMessageOffset();
                yield messages(gets.getAndIncrement() == 0 ? List.of() : from(from));
            }
        };
        answer.to(exchange, body);
    }

    private static Answer messages(List<MessageBlock> blocks) {
        return result(new GetMessageResponse(blocks, blocks.size(), "x"));
    }

    /** The answer of a server that has three messages: for "the latest" the last one. */
    private static List<MessageBlock> from(long offset) {
        List<MessageBlock> blocks = new ArrayList<>();
        for (long each = offset < 0 ? 2 : offset; each < 3; each++) {
            Message message = new Message(StandardCharsets.UTF_8.encode("message " + each));
            blocks.add(MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                    .setStartMessageOffset(each));
        }
        return blocks;
    }

    @Test
    void noneOfThemIsLeftOut() {
        assertThat(talos.call("get", "orders", "--follow", "--from", "latest", "--count", "1"))
                .isZero();

        assertThat(talos.out()).isEqualTo("message 0\n");
    }
}
