// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.thrift.TBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.message.MessageBlocks;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDataPreviewResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Checks that the contents of decompressed blocks are counted, and refused where there is no memory for them. */
@Timeout(60)
class OpenedBlocksTest extends MessageFixture {
    private static final int MESSAGES = 100_000;
    private static final int LEFT_BYTES = 256 << 10;

    @Override
    Map<String, String> settings() {
        return Map.of("TALOS_SERVICE_CHECKBLOCKS", "true");
    }

    /** A block of a few kilobytes, and 1.5 MB once it is decompressed. */
    private PutMessageRequest put(String sequence, Message message, int messages) {
        MessageBlock block =
                MessageBlocks.write(Collections.nCopies(messages, message), MessageCompressionType.ZSTD, 1);
        assertThat(block.bufferForMessageBlock().remaining()).isLessThan(LEFT_BYTES / 16);
        return new PutMessageRequest(partition, List.of(block), messages, sequence);
    }

    private PutMessageRequest largePut(String sequence) {
        return put(sequence, new Message(ByteBuffer.allocate(0)), MESSAGES);
    }

    private void othersTakeTheRest() {
        assertThat(budget.tryReserve(budget.limit() - LEFT_BYTES)).isTrue();
    }

    private void othersEnd() {
        budget.release(budget.limit() - LEFT_BYTES);
    }

    private void refusedForMemory(ServiceName service, String method, TBase<?, ?> request, TBase<?, ?> result)
            throws Exception {
        othersTakeTheRest();
        Optional<GalaxyTalosException> error =
                call(service, method, request, ANN, JAVA).read(result);
        othersEnd();

        assertThat(error).map(GalaxyTalosException::getErrorCode).contains(ErrorCode.EXCESSIVE_PENDING_MESSAGE);
        assertThat(error.orElseThrow().getErrMsg()).contains("no memory");
        await().until(() -> budget.used() == 0); // after the answer, which has memory of its own
        assertThat(call(service, method, request, ANN, JAVA).read(result)).isEmpty();
        await().until(() -> budget.used() == 0);
    }

    @Test
    void getOfASdkForWhichABlockIsWrittenAnew() throws Exception {
        assertThat(answerTo(largePut("client#1"), GO)).isEmpty();
        GetMessageResponse response = new GetMessageResponse();

        refusedForMemory(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "get#1"), response);

        MessageBlock block = response.getMessageBlocks().get(0);
        assertThat(block.getCompressionType()).isEqualTo(MessageCompressionType.SNAPPY);
        assertThat(MessageBlocks.read(block, 64 << 20)).hasSize(MESSAGES);
    }

    @Test
    void getOfSuchASdkWhereTextsGrowAsTheyAreNoUtf8() throws Exception {
        assertThat(answerTo(putOfNoUtf8(1, 50_000), GO)).isEmpty(); // of 150,000 four copies are more than is left
        GetMessageResponse response = new GetMessageResponse();

        refusedForMemory(ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "get#1"), response);

        MessageBlock again = response.getMessageBlocks().get(0);
        assertThat(again.getCompressionType()).isEqualTo(MessageCompressionType.SNAPPY);
        assertThat(MessageBlocks.read(again, 1 << 20).get(0).getMessage().getPartitionKey())
                .isEqualTo("\ufffd".repeat(50_000));
    }

    @Test
    void getOfSuchASdkWhereTextsGrowBeyondAllThatThereIsToldSoAndNotToComeAgain() throws Exception {
        assertThat(answerTo(putOfNoUtf8(21, 200_000), GO)).isEmpty(); // 4 × 4 MiB, and 4 × 12 MiB beside it

        Optional<GalaxyTalosException> error = call(
                        ServiceName.MESSAGE, "getMessage", new GetMessageRequest(partition, 0, "get#1"), ANN, JAVA)
                .read(new GetMessageResponse());

        assertThat(error).map(GalaxyTalosException::getErrorCode).contains(ErrorCode.MESSAGE_MISSING);
        assertThat(error.orElseThrow().getErrMsg()).contains("more memory than this server gives to a request");
        assertThat(new PrometheusText(metrics).write())
                .as("a consumer asks again and again, and an operator cannot help")
                .contains("talos_answered_failures_total{of=\"server\"} 0")
                .doesNotContain("talos_answered_failures_total{of=\"client\"} 0");
        await().until(() -> budget.used() == 0);
    }

    /** A batch of Kafka's, whose keys take three bytes for each once they are text. */
    private PutMessageRequest putOfNoUtf8(int records, int keyBytes) {
        byte[] key = new byte[keyBytes];
        Arrays.fill(key, (byte) -1);
        ByteBuffer batch = ByteBuffer.allocate(69 + records * (keyBytes + 12));
        batch.put(0, (byte) 'K').putInt(65, records).position(69);
        for (int i = 0; i < records; i++) {
            batch.put(varint(keyBytes + 9)).put(new byte[] {0, 0, (byte) (2 * i)});
            batch.put(varint(keyBytes)).put(key).put(new byte[] {2, 'b', 0}); // a value of one byte
        }
        MessageBlock block = new MessageBlock(0, records, MessageCompressionType.NONE, batch.flip());
        return new PutMessageRequest(partition, List.of(block), records, "client#1");
    }

    /** A number of three bytes as Kafka writes it. */
    private static byte[] varint(int number) {
        return new byte[] {
            (byte) ((2 * number) | 0x80), (byte) (((2 * number) >> 7) | 0x80), (byte) ((2 * number) >> 14),
        };
    }

    @Test
    void getOfSuchASdkEndsWhereTheAnswerIsFullOfWhatWasWrittenAnew() throws Exception {
        for (int i = 0; i < 4; i++) {
            Message message = new Message(ByteBuffer.allocate(1 << 20));
            assertThat(answerTo(put("client#" + i, message, 2), GO)).isEmpty();
        }
        GetMessageRequest request = new GetMessageRequest(partition, 0, "get#1");
        request.setMaxGetMessageBytes(150_000); // all four as they are stored; two, each of 100,000, in Snappy
        GetMessageResponse response = new GetMessageResponse();

        assertThat(call(ServiceName.MESSAGE, "getMessage", request, ANN, JAVA).read(response))
                .isEmpty();

        assertThat(response.getMessageBlocks()).hasSize(2);
        assertThat(response.getMessageNumber()).isEqualTo(4);
    }

    @Test
    void previewOfABlock() throws Exception {
        assertThat(answerTo(largePut("client#1"), GO)).isEmpty();
        GetDataPreviewResponse response = new GetDataPreviewResponse();

        refusedForMemory(ServiceName.METRIC, "getDataPreview", new GetDataPreviewRequest(partition), response);

        assertThat(response.getMessageNumber()).isEqualTo(10);
    }

    @Test
    void putWhoseBlocksAreChecked() throws Exception {
        refusedForMemory(ServiceName.MESSAGE, "putMessage", largePut("client#1"), new PutMessageResponse());

        assertThat(end()).isEqualTo(MESSAGES - 1);
    }

    /** A block of random bytes, and of as many others as zstd makes nothing of. */
    private PutMessageRequest put(int randomBytes, int plainBytes) {
        byte[] random = new byte[randomBytes];
        new Random(1).nextBytes(random);
        List<Message> messages = List.of(
                new Message(ByteBuffer.wrap(random)), new Message(ByteBuffer.allocate(plainBytes - randomBytes)));
        MessageBlock block = MessageBlocks.write(messages, MessageCompressionType.ZSTD, 1);
        return new PutMessageRequest(partition, List.of(block), 2, "client#1");
    }

    @Test
    void putThatTakesLessThanIsFreeBesideItIsStoredThoughItWouldNotTakeAllThatThereMayBe() throws Exception {
        int bytes = 9 << 19; // 2 × 20 MiB are room enough, but 7/8 of 64 MiB are not free
        MemoryBudget.Share share = budget.of(ANN.userId());
        share.take(bytes); // as the request does

        assertThat(answerTo(put(bytes, 20 << 20), GO)).isEmpty();

        share.release(bytes);
        await().until(() -> budget.used() == 0);
    }

    @Test
    void putIsStoredWhereOthersLeaveRoomForItAndNotForAsMuchAsItCouldHold() throws Exception {
        assertThat(budget.tryReserve(24 << 20)).isTrue();

        assertThat(answerTo(put(100 << 10, 15 << 20), GO)).isEmpty();
        assertThat(answerTo(put(1, 15 << 20), GO)).isEmpty(); // 1:10,000

        await().until(() -> budget.used() == 24 << 20);
    }

    @Test
    void putForWhichThereIsNeverMemoryEnoughIsTooLargeAndNotDamaged() throws Exception {
        Optional<GalaxyTalosException> error = answerTo(put(1 << 20, 30 << 20), GO);

        assertThat(error).map(GalaxyTalosException::getErrorCode).contains(ErrorCode.REQUEST_TOO_LARGE);
        assertThat(error.orElseThrow().getErrMsg()).contains("too large to be checked: it holds more than 29360128");
        await().until(() -> budget.used() == 0);
    }

    @Test
    void previewIsMadeByNoThreadThatReadsRequests() throws Exception {
        assertThat(answerTo(largePut("client#1"), GO)).isEmpty();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        GetDataPreviewRequest request = new GetDataPreviewRequest(partition);
        assertThat(send(ServiceName.METRIC, "getDataPreview", request, ANN, GO).get())
                .isNotNull(); // loads the classes
        long before = threads.getCurrentThreadAllocatedBytes();

        CompletableFuture<ServiceAnswer> preview = send(ServiceName.METRIC, "getDataPreview", request, ANN, GO);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20); // of 1.5 MB
        preview.get();
    }

    @Test
    void nothingIsDecompressedByWorkersThatReadStorage() throws Exception {
        assertThat(answerTo(largePut("client#1"), GO)).isEmpty();
        GetDataPreviewResponse preview = new GetDataPreviewResponse();

        assertThat(get(0, JAVA).getMessageNumber()).isEqualTo(MESSAGES);
        assertThat(call(ServiceName.METRIC, "getDataPreview", new GetDataPreviewRequest(partition), ANN, GO)
                        .read(preview))
                .isEmpty();

        assertThat(preview.getMessageNumber()).isEqualTo(10);
        assertThat(new PrometheusText(metrics).write())
                .contains("talos_dispatch_queue_wait_seconds_count{pool=\"get\"} 0");
    }

    @Test
    void previewOfALongTextIsItsBeginningWhateverFollows() throws Exception {
        ByteBuffer text = StandardCharsets.UTF_8.encode("é".repeat(20_000));
        text.put(30_000, (byte) -1); // no UTF-8 from here on
        MessageBlock block = MessageBlocks.write(List.of(new Message(text)), MessageCompressionType.NONE, 1);
        assertThat(answerTo(new PutMessageRequest(partition, List.of(block), 1, "client#1"), GO))
                .isEmpty();
        GetDataPreviewResponse response = new GetDataPreviewResponse();

        assertThat(call(ServiceName.METRIC, "getDataPreview", new GetDataPreviewRequest(partition), ANN, GO)
                        .read(response))
                .isEmpty();

        assertThat(response.getMessageLists().get(0)).containsEntry("message", "é".repeat(10_000) + "…");
    }
}
