// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.ScriptedServer.Answer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;

/**
 * {@code get --last} of two partitions. Partition 0 has a message for each of the milliseconds 0 to 99,999; partition 1
 * has three, of which the newest is of the millisecond 99,990.
 */
@Timeout(60)
class NewestMessagesTest {
    private static final int MESSAGES = 100_000;
    private static final int FEW = 3;

    private final Queue<Long> askedFor = new ConcurrentLinkedQueue<>(); // of partition 0
    private volatile int start; // of partition 0; the server has said 0

    @AutoClose
    private final ScriptedCommand talos;

    NewestMessagesTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(this::answer);
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Answer answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(2);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(List.of(
                        new OffsetInfo(0).setStartOffset(0).setEndOffset(MESSAGES - 1),
                        new OffsetInfo(1).setStartOffset(0).setEndOffset(FEW - 1))));
            default -> messages(new Asked("POST", uri, Map.of(), body).request(new GetMessageRequest()));
        };
        answer.to(exchange, body);
    }

    private Answer messages(GetMessageRequest asked) {
        boolean isSecond = asked.getTopicAndPartition().getPartitionId() == 1;
        if (!isSecond) {
            askedFor.add(asked.getMessageOffset());
            if (asked.getMessageOffset() >= 0 && asked.getMessageOffset() < start) {
                return error(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE, "expired");
            }
        }
        long from = Math.max(isSecond ? 0 : start, asked.getMessageOffset());
        long to = Math.min(isSecond ? FEW : MESSAGES, from + asked.getMaxGetMessageNumber());
        List<MessageBlock> blocks = new ArrayList<>();
        for (long offset = from; offset < to; offset++) {
            long time = isSecond ? MESSAGES - 10 - (FEW - 1 - offset) * 1_000 : offset;
            Message message = new Message(StandardCharsets.UTF_8.encode((isSecond ? "second " : "first ") + offset));
            blocks.add(MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                    .setStartMessageOffset(offset)
                    .setAppendTimestamp(time));
        }
        return result(new GetMessageResponse(blocks, blocks.size(), "x"));
    }

    private void get(String... arguments) {
        List<String> all = new ArrayList<>(List.of("get", "orders"));
        all.addAll(List.of(arguments));
        assertThat(talos.call(all.toArray(String[]::new))).as(talos.err()).isZero();
    }

    @Test
    void newestMatchesArePrintedInTheOrderOfOffsetsAndNothingOlderIsRead() {
        get("--last", "3", "--grep", "7$", "--partition", "0");

        assertThat(talos.out()).isEqualTo("first 99977\nfirst 99987\nfirst 99997\n");
        assertThat(askedFor).containsExactly(99_000L);
    }

    @Test
    void partitionsShareThemByTime() {
        get("--last", "11");

        assertThat(talos.out().lines())
                .hasSize(11)
                .startsWith("first 99990", "first 99991")
                .endsWith("first 99999", "second 2");
    }

    @Test
    void rareMatchIsSearchedFurtherBack() {
        get("--last", "1", "--grep", "^first 50000$");

        assertThat(talos.out()).isEqualTo("first 50000\n");
        assertThat(askedFor).allMatch(offset -> offset > 30_000);
    }

    @Test
    void fewerAreFoundWhereThereAreNoMore() {
        get("--last", "2", "--grep", "^second 1$");

        assertThat(talos.out()).isEqualTo("second 1\n");
    }

    @Test
    void beginningAndEndBoundTheSearch() {
        get("--last", "2", "--grep", "0$", "--partition", "0", "--from", "100", "--to", "110");

        assertThat(talos.out()).isEqualTo("first 100\n");
    }

    @Test
    void retentionThatMovesTheStartMeanwhileEndsTheSearchThere() {
        start = 99_500;

        get("--last", "1000", "--partition", "0");

        assertThat(talos.out().lines()).hasSize(500).startsWith("first 99500").endsWith("first 99999");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--last 0",
                "--last 10001",
                "--last 5 --count 2",
                "--last 5 --follow",
                "--last 5 --group g",
                "--last 5 --stream",
                "--last 5 --from last",
                "--last 5 --from latest"
            })
    void optionsThatMakeNoSenseTogetherAreRefused(String options) {
        assertThat(talos.call(("get orders " + options).split(" "))).isEqualTo(2);

        assertThat(talos.err()).contains("--last");
        assertThat(talos.out()).isEmpty();
    }
}
