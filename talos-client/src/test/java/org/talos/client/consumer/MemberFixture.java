// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.talos.client.ScriptedServer.described;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.TalosClient;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.QueryOffsetResponse;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * A member of a group of a topic with one partition, against a server that grants all and notes what it was asked.
 * Confined: the test's thread, but what the server reads.
 */
abstract class MemberFixture {
    static final ConsumerConfig CONFIG = ConsumerConfig.builder()
            .balanceInterval(Duration.ofMillis(50))
            .renewInterval(Duration.ofMillis(200))
            .topicCheckInterval(Duration.ofMillis(100))
            .commitInterval(Duration.ofMillis(50))
            .commitMessages(100)
            .failurePause(Duration.ofMillis(20))
            .closeTimeout(Duration.ofSeconds(20))
            .build();

    final List<String> heard = new CopyOnWriteArrayList<>();
    final Map<String, List<Integer>> others = new ConcurrentHashMap<>();
    final AtomicBoolean losing = new AtomicBoolean();
    ScriptedServer server;
    volatile OffsetInfo offsets = offsets(3, 9);
    final Queue<UpdateOffsetResponse> refusals = new ConcurrentLinkedQueue<>();
    volatile long committed = -1;
    volatile boolean hasCommitted;
    volatile ScriptedServer.Answer leaving = done();
    volatile ScriptedServer.@Nullable Answer members; // null: all that have registered
    volatile long message = -1; // offset of the one message; none if negative
    volatile long broken = -1; // offset of a block of two messages before that, which cannot be read
    volatile CountDownLatch renewals = new CountDownLatch(0);
    volatile CountDownLatch registrations = new CountDownLatch(0);
    volatile CountDownLatch commits = new CountDownLatch(0);
    volatile CountDownLatch emptyGets = new CountDownLatch(0);
    volatile GetDescribeInfoResponse topic = described(1);
    volatile String me = "";

    static OffsetInfo offsets(long start, long end) {
        OffsetInfo offsets = new OffsetInfo(0);
        offsets.setStartOffset(start);
        offsets.setEndOffset(end);
        return offsets;
    }

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.otherwise(this::answer);
    }

    @AfterEach
    void stop() {
        renewals.countDown();
        registrations.countDown();
        commits.countDown();
        emptyGets.countDown();
        server.close();
    }

    final TalosConsumer join(ConsumerConfig config, MessageProcessor.Factory factory) throws Exception {
        return builder(config).processors(factory).build().start();
    }

    final TalosConsumer.Builder builder(ConsumerConfig config) {
        ClientConfig client =
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withoutDirectRouting();
        return TalosConsumer.builder(new TalosClient(client), "shop")
                .topics("orders")
                .config(config);
    }

    static ConsumerConfig reset(StartPosition to) {
        return CONFIG.toBuilder().start(to).ignoreCommitted(true).build();
    }

    final TalosConsumer join(ConsumerConfig config) throws Exception {
        return join(config, partition -> (messages, checkpoint) -> {});
    }

    final void answer(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        Asked asked = new Asked("POST", uri, Map.of(), body);
        switch (uri.substring(uri.indexOf("type=") + 5)) {
            case "getDescribeInfo" -> result(topic).to(exchange, body);
            case "lockWorker" -> {
                heard.add("register");
                hold(registrations);
                result(new LockWorkerResponse(true)).to(exchange, body);
            }
            case "queryWorker" -> {
                heard.add("members");
                Optional.ofNullable(members)
                        .orElseGet(() -> result(new QueryWorkerResponse(members())))
                        .to(exchange, body);
            }
            case "lockPartition" -> {
                losing.set(false);
                heard.add("lock");
                result(new LockPartitionResponse(List.of(0), List.of())).to(exchange, body);
            }
            case "unlockPartition" -> {
                heard.add("unlock");
                done().to(exchange, body);
            }
            case "renew" -> renew(asked).to(exchange, body);
            case "leaveGroup" -> {
                heard.add("leave " + asked.request(new LeaveGroupRequest()).getWorkerId());
                leaving.to(exchange, body);
            }
            case "queryOffset" -> result(stored()).to(exchange, body);
            case "updateOffset" ->
                commit(asked.request(new UpdateOffsetRequest()).getCheckpoint()).to(exchange, body);
            case "getTopicOffset" ->
                result(new GetTopicOffsetResponse(List.of(offsets))).to(exchange, body);
            case "getPartitionOffset" ->
                result(new GetPartitionOffsetResponse(offsets)).to(exchange, body);
            default -> get(asked).to(exchange, body);
        }
    }

    private QueryOffsetResponse stored() {
        QueryOffsetResponse stored = new QueryOffsetResponse(committed);
        return hasCommitted && committed < 0 ? stored.setCommitted(true) : stored;
    }

    private ScriptedServer.Answer commit(CheckPoint wanted) {
        heard.add("stores");
        hold(commits);
        UpdateOffsetResponse refusal = refusals.poll();
        if (refusal != null) {
            heard.add("refused " + wanted.getMsgOffset());
            return result(refusal);
        }
        String from = wanted.isSetLastCommitOffset() ? " from " + wanted.getLastCommitOffset() : "";
        committed = wanted.getMsgOffset();
        hasCommitted = true;
        heard.add("commit " + committed + from);
        return result(new UpdateOffsetResponse(true));
    }

    /** All that have registered: this member by the name that its calls say, and the others. */
    private Map<String, List<Integer>> members() {
        Map<String, List<Integer>> members = new ConcurrentHashMap<>(others);
        members.put(me, List.of());
        return members;
    }

    private ScriptedServer.Answer renew(Asked asked) {
        List<Integer> locked =
                asked.request(new RenewRequest()).getConsumeUnit().getPartitionIdList();
        heard.add("renew " + locked);
        hold(renewals);
        heard.add("renewed " + locked);
        boolean lost = !locked.isEmpty() && losing.get(); // until the member locks again: an answer may be too late
        return result(new RenewResponse(true, lost ? locked : List.of()));
    }

    private static void hold(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ScriptedServer.Answer get(Asked asked) {
        long from = asked.request(new GetMessageRequest()).getMessageOffset();
        heard.add("get " + from);
        List<MessageBlock> blocks = new ArrayList<>();
        if (broken >= 0 && from <= broken + 1) {
            MessageBlock block =
                    new MessageBlock(broken, 2, MessageCompressionType.GZIP, ByteBuffer.wrap(new byte[] {'x'}));
            blocks.add(block);
        }
        if (message >= 0 && from <= message) {
            MessageBlock block = MessageBlocks.write(
                    List.of(new Message(ByteBuffer.wrap(new byte[] {'a'}))), MessageCompressionType.NONE, 1);
            block.setStartMessageOffset(message);
            block.setAppendTimestamp(1);
            blocks.add(block);
        }
        GetMessageResponse got = new GetMessageResponse();
        got.setMessageBlocks(blocks);
        got.setMessageNumber(blocks.size());
        got.setSequenceId("x");
        return (exchange, body) -> {
            if (blocks.isEmpty()) {
                hold(emptyGets);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)); // a long poll
            }
            result((TBase<?, ?>) got).to(exchange, body);
        };
    }
}
