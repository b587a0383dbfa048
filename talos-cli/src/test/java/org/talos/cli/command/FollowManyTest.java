// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Answer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;

/** {@code get --follow} of more partitions than may be asked at once; each has one message, or none. */
@Timeout(60)
class FollowManyTest {
    private static final int PARTITIONS = 64;
    private static final int LOOKS_BEFORE_AN_ANSWER = 4;

    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger gets = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    /** Gets are held until the command has looked at the ends again, or asks too many. */
    private final CountDownLatch answered = new CountDownLatch(1);

    private volatile IntPredicate hasMessage = partition -> true;
    private volatile IntPredicate isUntold = partition -> false; // as it is on its way to another server
    private volatile IntPredicate hangs = partition -> false; // until a message of another one has been got
    private volatile IntPredicate isRefused = partition -> false; // although its end is known
    private final CountDownLatch given = new CountDownLatch(1);
    private final AtomicInteger refused = new AtomicInteger();

    @AutoClose
    private final ScriptedCommand talos;

    FollowManyTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
        talos.server.otherwise(this::answer);
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Answer answer = switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "describeTopic" -> ScriptedCommand.topic(PARTITIONS);
            case "getTopicOffset" -> ends(looks.getAndIncrement());
            default -> got(new Asked("POST", uri, Map.of(), body).request(new GetMessageRequest()));
        };
        answer.to(exchange, body);
    }

    private Answer ends(int look) {
        if (look == LOOKS_BEFORE_AN_ANSWER) {
            answered.countDown();
        }
        return result(new GetTopicOffsetResponse(
                IntStream.range(0, PARTITIONS).mapToObj(each -> end(each, look)).toList()));
    }

    private OffsetInfo end(int partition, int look) {
        OffsetInfo info = new OffsetInfo(partition).setStartOffset(0);
        return look > 0 && isUntold.test(partition)
                ? info.setErrorCode(ErrorCode.PARTITION_NOT_SERVING).setErrorMsg("on its way")
                : info.setEndOffset(hasMessage.test(partition) ? 0 : -1);
    }

    private Answer got(GetMessageRequest asked) {
        gets.incrementAndGet();
        int partition = asked.getTopicAndPartition().getPartitionId();
        if (isRefused.test(partition)) {
            refused.incrementAndGet();
            return error(ErrorCode.PARTITION_NOT_SERVING, "on its way");
        }
        if (hangs.test(partition)) {
            await(given);
        }
        int together = atOnce.incrementAndGet();
        mostAtOnce.accumulateAndGet(together, Math::max);
        if (together > Follower.MOST_AT_ONCE) {
            answered.countDown();
        }
        await(answered);
        atOnce.decrementAndGet();
        if (!hasMessage.test(partition) || asked.getMessageOffset() > 0) {
            return result(new GetMessageResponse(List.of(), 0, "x"));
        }
        given.countDown();
        Message message = new Message(StandardCharsets.UTF_8.encode("message of " + partition));
        return result(new GetMessageResponse(
                List.of(MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1)
                        .setStartMessageOffset(0)),
                1,
                "x"));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void noMoreAreAskedAtOnceThanThereIsMemoryFor() {
        assertThat(talos.call("get", "orders", "--follow", "--count", Integer.toString(PARTITIONS)))
                .isZero();

        assertThat(mostAtOnce).hasValue(Follower.MOST_AT_ONCE);
        assertThat(talos.out().lines())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, PARTITIONS)
                        .mapToObj(each -> "message of " + each)
                        .toList());
    }

    @Test
    void thoseThatHaveNothingAreNotAsked() {
        hasMessage = partition -> partition == 37 && looks.get() > LOOKS_BEFORE_AN_ANSWER;

        assertThat(talos.call("get", "orders", "--follow", "--count", "1")).isZero();

        assertThat(talos.out()).isEqualTo("message of 37\n");
        assertThat(gets).hasValue(1);
    }

    @Test
    void allAreAskedWhileTheirEndsCantBeTold() {
        isUntold = partition -> true;
        hasMessage = partition -> partition == 5;

        assertThat(talos.call("get", "orders", "--follow", "--count", "1")).isZero();

        assertThat(talos.out()).isEqualTo("message of 5\n");
        assertThat(gets).hasValueGreaterThan(1);
        assertThat(mostAtOnce).hasValue(1);
    }

    @Test
    void oneOfThoseWhoseEndsCantBeToldHoldsUpNoOther() {
        answered.countDown();
        isUntold = partition -> partition < 2;
        hangs = isUntold;
        hasMessage = partition -> partition == 37 && looks.get() > LOOKS_BEFORE_AN_ANSWER;

        assertThat(talos.call("get", "orders", "--follow", "--count", "1")).isZero();

        assertThat(talos.out()).isEqualTo("message of 37\n");
    }

    @Test
    void thoseThatLoseTheirServerOnceTheirEndsAreToldHoldUpNoOther() {
        answered.countDown();
        isRefused = partition -> partition < 2;
        hasMessage = partition -> partition < 2 || (partition == 37 && refused.get() > 2);

        assertThat(talos.call("get", "orders", "--follow", "--count", "1")).isZero();

        assertThat(talos.out()).isEqualTo("message of 37\n");
    }
}
