// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Asked;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;

/** Tests where {@code get} begins in a partition that has the offsets 0 to 2. */
@Timeout(30)
class BeginTest {
    private static final long LAST_BLOCK = -2;

    private final Queue<Long> askedFor = new ConcurrentLinkedQueue<>();

    @AutoClose
    private final ScriptedCommand talos;

    BeginTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(this::answer);
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        var answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(1);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(
                        List.of(new OffsetInfo(0).setStartOffset(0).setEndOffset(2))));
            default -> {
                long from = new Asked("POST", uri, Map.of(), body)
                        .request(new GetMessageRequest())
                        .getMessageOffset();
                askedFor.add(from);
                long offset = from == LAST_BLOCK ? 2 : Math.max(0, from);
                Message message = new Message(StandardCharsets.UTF_8.encode("message " + offset));
                yield result(new GetMessageResponse(
                        List.of(MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                                .setStartMessageOffset(offset)),
                        1,
                        "x"));
            }
        };
        answer.to(exchange, body);
    }

    private String got(String... arguments) {
        assertThat(talos.call(arguments)).as(talos::err).isZero();
        return talos.out();
    }

    @Test
    void latestIsWhatComesFromNowOn() {
        assertThat(got("get", "orders", "--follow", "--from", "latest", "--count", "1"))
                .isEqualTo("message 3\n");
        assertThat(askedFor).containsExactly(3L);
    }

    @Test
    void lastIsWhatWasPutTogetherLast() {
        assertThat(got("get", "orders", "--from", "last")).isEqualTo("message 2\n");
        assertThat(askedFor).containsExactly(LAST_BLOCK);
    }

    @Test
    void whatScriptsHaveSaidMeansWhatItMeant() {
        assertThat(got("get", "orders", "--offset", "latest")).isEqualTo("message 2\n");
        assertThat(got("get", "orders", "--partition", "0", "--offset", "1", "--to", "2"))
                .isEqualTo("message 2\nmessage 1\n");
        assertThat(askedFor).containsExactly(LAST_BLOCK, 1L);
    }

    @Test
    void templateIsPrintedInPlaceOfLines() {
        assertThat(got("get", "orders", "--template", "%t/%p@%o=%v;", "--from", "last"))
                .isEqualTo("orders/0@2=message 2;");
    }
}
