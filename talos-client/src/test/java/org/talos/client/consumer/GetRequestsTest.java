// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.transport.PartitionRef;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Tests the messages of an answer: how much of a program's memory they may take, and their fields. */
@Timeout(30)
class GetRequestsTest {
    private static final PartitionRef PARTITION = new PartitionRef("orders", "me#orders#1", 2);
    private static final long MAX_BYTES = 10_000;

    private static MessageBlock zeros(long offset, int messages, int bytes) {
        List<Message> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(new Message(ByteBuffer.allocate(bytes)));
        }
        return MessageBlocks.write(all, MessageCompressionType.GZIP, 1).setStartMessageOffset(offset);
    }

    private static List<Long> read(MessageBlock... blocks) throws TalosClientException {
        return GetRequests.read(PARTITION, List.of(blocks), 0, MAX_BYTES).stream()
                .map(FetchedMessage::offset)
                .toList();
    }

    @Test
    void blockThatHoldsMoreIsUnreadable() {
        assertThatThrownBy(() -> read(zeros(7, 1, 10_001)))
                .isInstanceOf(UnreadableBlockException.class)
                .hasMessageContaining("offsets 7 to 7")
                .hasMessageContaining("10000 bytes")
                .hasMessageContaining("memory");
    }

    @Test
    void blockOfTooManyMessagesIsUnreadableWhateverTheirSize() throws Exception {
        assertThat(read(zeros(0, 78, 1))).hasSize(78);
        assertThatThrownBy(() -> read(zeros(0, 79, 1)))
                .isInstanceOf(UnreadableBlockException.class)
                .hasMessageContaining("offsets 0 to 78");
    }

    @Test
    void blocksTogetherHoldNoMoreThanOneMayAndTheRestComesLater() throws Exception {
        assertThat(read(zeros(0, 1, 6_000), zeros(1, 1, 6_000), zeros(2, 1, 10)))
                .containsExactly(0L);
        assertThat(read(zeros(1, 1, 6_000), zeros(2, 1, 10))).containsExactly(1L, 2L);
    }

    @Test
    void headersThatAreNoTextKeepTheirBytes() throws Exception {
        byte[] binary = {0, -1, 'x'};
        Message message = new Message(ByteBuffer.allocate(0))
                .setPartitionKey("schön")
                .setHeaders(Map.of(
                        "id", ByteBuffer.wrap(binary),
                        "sign", UTF_8.encode("\ufffd"),
                        "trace", UTF_8.encode("ü")));
        MessageBlock block = MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1);

        FetchedMessage read =
                GetRequests.read(PARTITION, List.of(block), 0, MAX_BYTES).get(0);

        assertThat(read.headers())
                .containsOnly(Map.entry("id", "\u0000\ufffdx"), Map.entry("sign", "\ufffd"), Map.entry("trace", "ü"));
        assertThat(read.binaryHeaders()).containsOnlyKeys("id");
        assertThat(read.headerBytes("ID")).hasValue(binary);
        assertThat(read.headerBytes("trace")).hasValue("ü".getBytes(UTF_8));
        assertThat(read.headerBytes("other")).isEmpty();
        assertThat(read.keyBytes()).hasValue("schön".getBytes(UTF_8));
        assertThat(read.body()).isEmpty();
    }
}
