// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionOffsetResponse;
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
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/** A member of a group of a topic with one partition, against a server that grants all and notes what it was asked. */
@Timeout(60)
class TalosConsumerTest {
    private static final ConsumerConfig CONFIG = ConsumerConfig.builder()
            .balanceInterval(Duration.ofMillis(50))
            .renewInterval(Duration.ofMillis(200))
            .topicCheckInterval(Duration.ofMillis(100))
            .commitInterval(Duration.ofMillis(50))
            .commitMessages(100)
            .failurePause(Duration.ofMillis(20))
            .closeTimeout(Duration.ofSeconds(20))
            .build();

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final Map<String, List<Integer>> others = new ConcurrentHashMap<>();
    private final AtomicBoolean losing = new AtomicBoolean();
    private ScriptedServer server;
    private volatile OffsetInfo offsets = offsets(3, 9);
    private final Queue<UpdateOffsetResponse> refusals = new ConcurrentLinkedQueue<>();
    private volatile long committed = -1;
    private volatile boolean hasCommitted;
    private volatile ScriptedServer.Answer leaving = done();
    private volatile ScriptedServer.@Nullable Answer members; // null: all that have registered
    private volatile long message = -1; // offset of the one message; none if negative
    private volatile CountDownLatch renewals = new CountDownLatch(0);
    private volatile CountDownLatch registrations = new CountDownLatch(0);
    private volatile GetDescribeInfoResponse topic = described(1);
    private volatile String me = "";

    private static OffsetInfo offsets(long start, long end) {
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
        server.close();
    }

    private TalosConsumer join(ConsumerConfig config, MessageProcessor.Factory factory) throws Exception {
        return builder(config).processors(factory).build().start();
    }

    private TalosConsumer.Builder builder(ConsumerConfig config) {
        ClientConfig client =
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withoutDirectRouting();
        return TalosConsumer.builder(new TalosClient(client), "shop")
                .topics("orders")
                .config(config);
    }

    private static ConsumerConfig reset(StartPosition to) {
        return CONFIG.toBuilder().start(to).ignoreCommitted(true).build();
    }

    private TalosConsumer join(ConsumerConfig config) throws Exception {
        return join(config, partition -> (messages, checkpoint) -> {});
    }

    private void answer(HttpExchange exchange, byte[] body) throws IOException {
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
        boolean lost = !locked.isEmpty() && losing.getAndSet(false);
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
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)); // a long poll
            }
            result((TBase<?, ?>) got).to(exchange, body);
        };
    }

    @Test
    void closeDoesNotWaitForAStartUnderWay() throws Exception {
        registrations = new CountDownLatch(1);
        TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build();
        CompletableFuture<Throwable> started =
                CompletableFuture.supplyAsync(() -> catchThrowable(consumer::start), task -> new Thread(task).start());
        await().until(() -> heard.contains("register"));

        consumer.close();

        assertThat(consumer.ended().toCompletableFuture()).isCompleted();
        registrations.countDown();
        assertThat(started.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        RetriableException.class, e -> assertThat(e.code()).isEqualTo("CLOSED"));
    }

    /** Whoever takes the partition before the first commit would else begin at a later end. */
    @Test
    void endIsCommittedBeforeAnythingIsRead() throws Exception {
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().start(StartPosition.LATEST).build())) {
            me = consumer.member();
            await().until(() -> heard.contains("get 10"));

            assertThat(heard.indexOf("commit 9 from -1")).isBetween(0, heard.indexOf("get 10"));
        }
    }

    @Test
    void endOfAnEmptyPartitionIsCommittedBeforeAnythingIsReadToo() throws Exception {
        offsets = offsets(0, -1);
        ConsumerConfig seldom = CONFIG.toBuilder()
                .start(StartPosition.LATEST)
                .commitInterval(Duration.ofHours(1))
                .build();
        try (TalosConsumer consumer = join(seldom)) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));

            assertThat(heard.indexOf("commit -1 from -1")).isBetween(0, heard.indexOf("get 0"));
        }
    }

    @Test
    void resetGoesBackOnceAndNotWhenThePartitionIsTakenAgain() throws Exception {
        committed = 8;
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("commit 2 from 8") && heard.contains("get 3"));
            committed = 6;
            heard.clear();
            losing.set(true);

            await().until(() -> heard.stream().anyMatch("get 7"::equals));

            assertThat(heard).contains("lock").doesNotContain("commit 2 from 8");
        }
    }

    @Test
    void resetDoesNotGoBackWhereAnotherMemberReads() throws Exception {
        committed = 8;
        others.put("other", List.of(0));
        try (TalosConsumer consumer = join(reset(StartPosition.LATEST))) {
            me = consumer.member();
            long asked = server.asked().size();
            await().until(() -> server.asked().size() > asked + 3);
            others.clear();

            await().until(() -> heard.contains("get 9"));
        }
    }

    /** An operator's reset to the first message is no reason to begin at the end. */
    @Test
    void groupThatWasResetToTheFirstMessageBeginsThere() throws Exception {
        hasCommitted = true;
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().start(StartPosition.LATEST).build())) {
            me = consumer.member();
            await().until(() -> heard.stream().anyMatch(each -> each.startsWith("get ")));

            assertThat(heard).contains("get 0");
        }
    }

    /** The group is further already: nothing is lost, and the partition needn't rest for a lock's life. */
    @Test
    void commitThatIsBehindLosesNoLock() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false));
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("refused 4"));
            message = 5;
            await().until(() -> heard.contains("commit 5"));

            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void commitByHandThatIsBehindIsDone() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false));
        CountDownLatch returned = new CountDownLatch(1);
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    checkpoint.commit();
                    returned.countDown();
                })) {
            me = consumer.member();

            assertThat(returned.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void lockOfAnotherStopsTheReader() throws Exception {
        message = 4;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(true));
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();

            await().until(() -> heard.stream().filter("lock"::equals).count() > 1);
        }
    }

    /** Whoever goes back says from where: a server can tell that from an old commit that was long on its way. */
    @Test
    void resetNamesWhatItLeaves() throws Exception {
        committed = 8;
        hasCommitted = true;
        refusals.add(new UpdateOffsetResponse(false).setLockLost(false)); // another has committed in between
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 3"));

            assertThat(heard).contains("refused 2", "commit 2 from 8");
            assertThat(heard.stream().filter("lock"::equals)).hasSize(1);
        }
    }

    @Test
    void resetToTheFirstMessageOfAllIsCommittedBeforeAnythingIsRead() throws Exception {
        committed = 8;
        offsets = offsets(0, 9);
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));

            assertThat(heard.indexOf("commit -1 from 8")).isBetween(0, heard.indexOf("get 0"));
        }
    }

    @Test
    void resetToTheFirstMessageBeginsThereAlsoIfTheServerTakesNoSuchCommit() throws Exception {
        committed = 8;
        offsets = offsets(0, 9);
        refusals.add(new UpdateOffsetResponse(false));
        try (TalosConsumer consumer = join(reset(StartPosition.EARLIEST))) {
            me = consumer.member();
            await().until(() -> heard.contains("get 0"));
            message = 0;
            await().until(() -> heard.contains("commit 0"));
        }
    }

    @Test
    void processorThatThrowsAnErrorGetsTheSameAgain() throws Exception {
        message = 4;
        AtomicBoolean thrown = new AtomicBoolean();
        List<Long> processed = new CopyOnWriteArrayList<>();
        try (TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> {
            if (thrown.compareAndSet(false, true)) {
                throw new UnsatisfiedLinkError("made to fail");
            }
            messages.forEach(each -> processed.add(each.offset()));
        })) {
            me = consumer.member();
            await().until(() -> !processed.isEmpty());

            assertThat(processed).containsExactly(4L);
            assertThat(heard.stream().filter("lock"::equals))
                    .as("it keeps its lock")
                    .hasSize(1);
        }
    }

    /** A server that takes the renewal last would lock the partition for a member that does not read it. */
    @Test
    void lockIsNotReleasedWhileItIsRenewed() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        renewals = gate;
        TalosConsumer consumer = join(CONFIG.toBuilder()
                .renewInterval(Duration.ofSeconds(3))
                .topicCheckInterval(Duration.ofSeconds(30))
                .build());
        me = consumer.member();
        await().until(() -> heard.contains("renew [0]"));
        Thread closing = new Thread(consumer::close);
        closing.start();
        try {
            await().during(Duration.ofMillis(50)).until(() -> !heard.contains("unlock"));
        } finally {
            gate.countDown();
            closing.join();
        }
        await().until(() -> heard.contains("unlock"));
        assertThat(heard.subList(heard.indexOf("unlock"), heard.size())).doesNotContain("renew [0]");
    }

    @Test
    void memberThatIsClosedLeavesOnceItHasReleasedEverything() throws Exception {
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.contains("renewed [0]"));

        consumer.close();
        consumer.close();

        assertThat(heard.subList(heard.indexOf("unlock"), heard.size()))
                .as("nothing of it comes later")
                .endsWith("leave " + me);
        assertThat(heard.stream().filter(each -> each.startsWith("leave "))).hasSize(1);
    }

    @Test
    void serverThatKnowsNoLeavingDoesNotHoldUpTheClose() throws Exception {
        leaving = ScriptedServer.status(404, Map.of(), "no such call");
        TalosConsumer consumer = join(CONFIG);
        me = consumer.member();
        await().until(() -> heard.contains("renewed [0]"));

        consumer.close();

        assertThat(heard).contains("unlock", "leave " + me);
    }

    /** Its partitions must not be read by others before its locks have expired. */
    @Test
    void memberWhoseProcessorDoesNotFinishStaysUntilItExpires() throws Exception {
        message = 4;
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        TalosConsumer consumer = join(
                CONFIG.toBuilder().closeTimeout(Duration.ofMillis(50)).build(), partition -> (messages, checkpoint) -> {
                    inside.countDown();
                    gate.await();
                });
        me = consumer.member();
        inside.await();
        try {
            consumer.close();

            assertThat(heard).doesNotContain("leave " + me);
        } finally {
            gate.countDown();
        }
    }

    @Test
    void roundsThatFailAreRepeatedMoreAndMoreSeldom() throws Exception {
        members = ScriptedServer.error(ErrorCode.PERMISSION_DENIED_ERROR, "not yours");
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("members"));
            await().during(Duration.ofMillis(500)).until(() -> count("members") < 5);
            members = null;

            await().until(() -> heard.contains("renewed [0]"));
        }
    }

    private long count(String call) {
        return heard.stream().filter(call::equals).count();
    }

    /** What an orderly close frees is read by another after one of its polls. */
    @Test
    void membersArePolledMoreThanOnceASecond() {
        assertThat(ConsumerConfig.builder().build().balanceInterval()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void memberWhoseTopicHasGoneSendsNoMoreHeartbeats() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (TalosConsumer consumer = join(CONFIG)) {
            me = consumer.member();
            await().until(() -> heard.contains("renewed [0]"));

            topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);

            await().until(() -> consumer.failure().isPresent());
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().startsWith("talos-group-") && !before.contains(each)));
        }
    }

    @Test
    void nothingIsSentBeforeTheConsumerIsStarted() throws Exception {
        try (TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build()) {
            assertThat(server.asked()).isEmpty();

            consumer.start();

            assertThatIllegalStateException().isThrownBy(consumer::start);
        }
    }

    @Test
    void startThatFailedMayBeTriedAgain() throws Exception {
        server.then(ScriptedServer.error(ErrorCode.TOPIC_NOT_EXIST, "no such topic"));
        try (TalosConsumer consumer =
                builder(CONFIG).processor((messages, checkpoint) -> {}).build()) {
            assertThatThrownBy(consumer::start).isInstanceOf(FatalException.class);

            consumer.start();
        }
    }

    @Test
    void endIsToldOnceByFutureAndCallback() throws Exception {
        List<Optional<TalosClientException>> ends = new CopyOnWriteArrayList<>();
        TalosConsumer closed = builder(CONFIG)
                .processor((messages, checkpoint) -> {})
                .onEnd(ends::add)
                .build()
                .start();
        closed.close();
        assertThat(closed.ended().toCompletableFuture()).isCompleted();
        assertThat(ends).containsExactly(Optional.empty());

        try (TalosConsumer bereft = builder(CONFIG)
                .processor((messages, checkpoint) -> {})
                .onEnd(ends::add)
                .build()
                .start()) {
            me = bereft.member();
            topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);

            assertThat(bereft.ended().toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(FatalException.class);
        }
        assertThat(ends).hasSize(2);
        assertThat(ends.get(1)).isPresent();
    }

    @Test
    void endSaysThatTheTopicHasGoneThoughAProcessorDoesNotFinish() throws Exception {
        message = 4;
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        TalosConsumer consumer =
                join(CONFIG.toBuilder().closeTimeout(Duration.ZERO).build(), partition -> (messages, checkpoint) -> {
                    inside.countDown();
                    gate.await();
                });
        me = consumer.member();
        inside.await();
        topic = new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#2"), 1);
        await().until(() -> consumer.failure().isPresent());

        consumer.close();

        assertThat(consumer.ended().toCompletableFuture()).isCompletedExceptionally();
        gate.countDown();
    }

    @Test
    void commitCoversTheBatchAndAnOlderOneIsNoError() throws Exception {
        message = 4;
        List<String> refused = new CopyOnWriteArrayList<>();
        CountDownLatch processed = new CountDownLatch(1);
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    checkpoint.commit();
                    checkpoint.commitBefore(3); // the server would refuse it as LOCK_LOST
                    try {
                        checkpoint.commitBefore(6);
                    } catch (IllegalArgumentException e) {
                        refused.add(String.valueOf(e.getMessage()));
                    }
                    processed.countDown();
                })) {
            me = consumer.member();
            processed.await();
        }

        assertThat(heard.stream().filter(each -> each.startsWith("commit"))).containsExactly("commit 4");
        assertThat(refused).containsExactly("offset: 6 (expected: 5 at most)");
    }

    @Test
    void messagesOfAPollCountAsProcessedWithTheNext() throws Exception {
        message = 4;
        try (PollingConsumer consumer = builder(CONFIG).buildPolling().start()) {
            me = consumer.member();
            assertThat(poll(consumer)).extracting(FetchedMessage::offset).containsExactly(4L);
            assertThat(heard).doesNotContain("commit 4", "get 5");

            assertThat(consumer.poll(Duration.ofMillis(100))).isEmpty();

            await().until(() -> heard.contains("commit 4") && heard.contains("get 5"));
        }
    }

    @Test
    void messagesOfTheLastPollAreReadAgainUnlessTheyAreCommitted() throws Exception {
        message = 4;
        try (PollingConsumer consumer = builder(CONFIG).buildPolling().start()) {
            me = consumer.member();
            poll(consumer);
        }
        assertThat(heard).contains("unlock").doesNotContain("commit 4");

        PollingConsumer consumer = builder(CONFIG).buildPolling().start();
        me = consumer.member();
        poll(consumer);
        consumer.commit();
        assertThat(heard).contains("commit 4");
        consumer.close();
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).hasMessageContaining("CLOSED");
    }

    private static List<FetchedMessage> poll(PollingConsumer consumer) throws Exception {
        List<FetchedMessage> messages = List.of();
        while (messages.isEmpty()) {
            messages = consumer.poll(Duration.ofSeconds(1));
        }
        return messages;
    }
}
