// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.talos.common.name.ResourceName;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.server.storage.LogId;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Reads that wait for messages: who wakes them, and how often they read. */
class WaitingReadsTest extends MessageFixture {
    private static final long WAIT_SECONDS = 20;

    private final CountDownLatch answering = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void openGate() {
        gate.countDown();
    }

    /** A consumer at the end of the partition whose answer stops at the gate. */
    private void startConsumer(long offset) throws Exception {
        GetMessageRequest get = new GetMessageRequest(partition, offset, "get#1");
        CompletableFuture<ServiceAnswer> answer = send(ServiceName.MESSAGE, "getMessage", get, ANN, GO);
        var unused = answer.thenRun(() -> {
            answering.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void assertStored(PutMessageRequest put) throws Exception {
        ServiceAnswer answer =
                send(ServiceName.MESSAGE, "putMessage", put, ANN, GO).get(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(new Answer("putMessage", answer).read(new PutMessageResponse()))
                .isEmpty();
    }

    private PutMessageRequest putElsewhere() throws Exception {
        PutMessageRequest put = put("elsewhere", MessageCompressionType.NONE);
        put.setTopicAndPartition(createTopic("returns", 1));
        return put;
    }

    @Test
    void consumerThatTakesItsTimeDelaysNoAcknowledgement() throws Exception {
        PutMessageRequest elsewhere = putElsewhere();
        startConsumer(0);

        assertStored(put("awaited", MessageCompressionType.NONE));
        assertThat(answering.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertStored(put("next", MessageCompressionType.NONE));
        assertStored(elsewhere);

        assertThat(gate.getCount()).isOne();
    }

    @Test
    void consumerThatTakesItsTimeDelaysNoTimer() throws Exception {
        startConsumer(0); // its long poll ends after 300 ms
        assertThat(answering.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        CountDownLatch fired = new CountDownLatch(1);

        timers.schedule(ticker.nanos(), fired::countDown);

        assertThat(fired.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void readThatWaitsForManyBytesReadsOnceHoweverManyPutsTheyTake() throws Exception {
        int puts = 50;
        assertStored(put("message 10", MessageCompressionType.NONE));
        long before = reads();
        long one = read(new ReadRequest(0, new BlockLimits(10, 1 << 20), 0, 0))
                .get()
                .bytes();
        CompletableFuture<Slice> all = read(new ReadRequest(
                0, new BlockLimits(1_000, 1 << 20), one * puts, TimeUnit.SECONDS.toNanos(WAIT_SECONDS)));

        for (int i = 1; i < puts; i++) {
            assertThat(all).isNotDone();
            assertStored(put("message " + (10 + i), MessageCompressionType.NONE));
        }

        assertThat(all.get(WAIT_SECONDS, TimeUnit.SECONDS).blocks()).hasSize(puts);
        assertThat(reads() - before).isEqualTo(3); // one for the size, and of the wait its first and its last
    }

    @Test
    void readThatHasAllTheMessagesItMayHaveWaitsForNoMore() throws Exception {
        CompletableFuture<Slice> two =
                read(new ReadRequest(0, new BlockLimits(2, 1 << 20), 1 << 20, TimeUnit.SECONDS.toNanos(WAIT_SECONDS)));

        assertStored(put("first", MessageCompressionType.NONE));
        assertThat(two).isNotDone();
        assertStored(put("second", MessageCompressionType.NONE));

        assertThat(two.get(WAIT_SECONDS, TimeUnit.SECONDS).blocks()).hasSize(2);
    }

    @Test
    void readThatDoesNotGetItsBytesGetsWhatIsThereWhenItsTimeIsOver() throws Exception {
        assertStored(put("first", MessageCompressionType.NONE));

        Slice slice = read(new ReadRequest(0, new BlockLimits(10, 1 << 20), 1 << 20, TimeUnit.MILLISECONDS.toNanos(50)))
                .get(WAIT_SECONDS, TimeUnit.SECONDS);

        assertThat(slice.blocks()).hasSize(1);
    }

    private CompletableFuture<Slice> read(ReadRequest asked) {
        String name = partition.getTopicTalosResourceName().getTopicTalosResourceName();
        LogId id = new LogId(ResourceName.parse(name).orElseThrow().topicId(), 0);
        long deadline = ticker.nanos() + TimeUnit.SECONDS.toNanos(2 * WAIT_SECONDS);
        return services.forOthers()
                .read(id, asked, new ForwardContext("ann", deadline))
                .toCompletableFuture();
    }

    private long reads() {
        return new PrometheusText(metrics)
                .write()
                .lines()
                .filter(line -> line.startsWith("talos_log_reads_from_memory_total"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
