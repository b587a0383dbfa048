// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.MessageType;
import org.xerial.snappy.Snappy;

@Timeout(20)
class BlockShapeTest {
    private static Message message(String text) {
        Message message = new Message(StandardCharsets.UTF_8.encode(text));
        message.setCreateTimestamp(1_700_000_000_000L);
        message.setMessageType(MessageType.UTF8);
        message.setSequenceNumber("number-" + text);
        return message;
    }

    private static List<Message> messages(int count) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(message("text " + i));
        }
        return messages;
    }

    private static MessageBlock block(MessageCompressionType type, int count, byte[] bytes) {
        return new MessageBlock(0, count, type, ByteBuffer.wrap(bytes));
    }

    private static MessageBlock written(MessageCompressionType type) {
        return MessageBlocks.write(messages(30), type, 1);
    }

    private static byte[] mixed() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        MessageFormat.writeV1(message("one"), bytes);
        MessageFormat.writeV2(message("two"), bytes);
        bytes.writeBytes(MessageFormat.writeV3(List.of(message("three"))));
        return bytes.toByteArray();
    }

    private static byte[] kafka() {
        return kafka(0, 1);
    }

    /** A batch of two records with these offset deltas, of -64 to 63. */
    private static byte[] kafka(int... deltas) {
        ByteBuffer batch = ByteBuffer.allocate(100);
        batch.put(0, (byte) 'K').putInt(65, 2).position(69);
        for (int delta : deltas) {
            batch.put((byte) 16).put(new byte[] {0, 0, (byte) (delta << 1 ^ delta >> 31), 1, 4, 'a', 'b', 0});
        }
        return Arrays.copyOf(batch.array(), batch.position());
    }

    private static void refused(MessageBlock block) {
        assertThatThrownBy(() -> MessageBlocks.checkClaims(block)).isInstanceOf(MalformedBlockException.class);
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void whatIsWrittenPassesAlsoWhereItLiesInALargerBufferOrOffTheHeap(MessageCompressionType type) throws Exception {
        byte[] bytes = written(type).getMessageBlock();
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        ByteBuffer around =
                ByteBuffer.allocate(bytes.length + 20).position(13).put(bytes).flip();

        MessageBlocks.checkClaims(block(type, 30, bytes));
        MessageBlocks.checkClaims(new MessageBlock(0, 30, type, direct));
        MessageBlocks.checkClaims(new MessageBlock(0, 30, type, around.position(13)));
    }

    @Test
    void everyVersionPassesAndAKafkaBatchToo() throws Exception {
        MessageBlocks.checkClaims(block(MessageCompressionType.NONE, 3, mixed()));
        MessageBlocks.checkContents(block(MessageCompressionType.NONE, 3, mixed()), 1 << 20);
        MessageBlocks.checkClaims(block(MessageCompressionType.NONE, 2, kafka()));
        MessageBlocks.checkContents(block(MessageCompressionType.NONE, 2, kafka()), 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 5})
    void plainBlockOfAnotherCountIsRefused(int count) {
        refused(block(MessageCompressionType.NONE, count, mixed()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void kafkaBatchOfAnotherCountIsRefused(int count) {
        refused(block(MessageCompressionType.NONE, count, kafka()));
    }

    /** Checks that a block of many empty members is malformed: each of them makes the JDK read calls itself. */
    @Test
    void gzipBlockOfManyEmptyMembersIsMalformed() throws Exception {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        ByteArrayOutputStream empty = new ByteArrayOutputStream();
        new GZIPOutputStream(empty).close();
        for (int i = 0; i < 200_000; i++) {
            empty.writeTo(members);
        }
        try (GZIPOutputStream last = new GZIPOutputStream(members)) {
            last.write(mixed());
        }
        MessageBlock block = block(MessageCompressionType.GZIP, 3, members.toByteArray());

        assertThatThrownBy(() -> MessageBlocks.read(block, 1 << 20)).isInstanceOf(MalformedBlockException.class);
        assertThatThrownBy(() -> MessageBlocks.checkContents(block, 1 << 20))
                .isInstanceOf(MalformedBlockException.class);
    }

    /** A reader would pass over messages, or get the same ones again and again. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 2", "1, 0", "0, 63", "-1, 0", "1, 2"})
    void kafkaBatchWhoseOffsetsAreNotItsRecordsPlacesIsRefused(int first, int second) {
        MessageBlock block = block(MessageCompressionType.NONE, 2, kafka(first, second));

        refused(block);
        assertThatThrownBy(() -> MessageBlocks.read(block, 1 << 20))
                .isInstanceOf(MalformedBlockException.class)
                .hasMessageContaining("its place in the batch");
    }

    @Test
    void plainBlockThatEndsAnywhereElseIsRefused() {
        for (byte[] whole : List.of(mixed(), kafka())) {
            int count = whole[0] == 'K' ? 2 : 3;
            for (int length = 1; length < whole.length; length++) {
                refused(block(MessageCompressionType.NONE, count, Arrays.copyOf(whole, length)));
            }
            refused(block(MessageCompressionType.NONE, count, Arrays.copyOf(whole, whole.length + 1)));
            refused(block(MessageCompressionType.NONE, count, Arrays.copyOf(whole, whole.length + 8)));
        }
    }

    @Test
    void plainBlockOfAnUnknownVersionOrWithoutAnyIsRefused() {
        byte[] unknown = mixed();
        unknown[2 * Integer.BYTES + "number-one".length() + "one".length() + 2] = 4; // of the second
        refused(block(MessageCompressionType.NONE, 3, unknown));
        refused(block(
                MessageCompressionType.NONE, 1, "any text, which is not a message".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void structWithoutAnEndIsRefused() {
        byte[] bytes = MessageFormat.writeV3(List.of(message("three")));
        bytes[bytes.length - 1] = 1;
        refused(block(MessageCompressionType.NONE, 1, bytes));
        refused(block(MessageCompressionType.NONE, 1, new byte[] {'V', 0, 3, 0, 0, 0, 0, 0}));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void compressedBlockOfMoreMessagesThanItHoldsBytesForIsRefused(MessageCompressionType type) {
        int plain = MessageFormat.writeV3(messages(30)).length;
        byte[] bytes = written(type).getMessageBlock();

        refused(block(type, plain / MessageBlocks.MIN_MESSAGE_BYTES + 1, bytes));
        refused(block(type, Integer.MAX_VALUE, bytes));
    }

    @ParameterizedTest // the others' blocks begin with a length, which may be that of anything
    @EnumSource(names = {"NONE", "GZIP", "ZSTD"})
    void blockOfAnotherCompressionThanItClaimsIsRefused(MessageCompressionType type) {
        for (MessageCompressionType other : MessageCompressionType.values()) {
            if (other != type) {
                refused(block(type, 30, written(other).getMessageBlock()));
            }
        }
        refused(block(type, 1, "any text, which is no block at all".getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "LZ4", "GZIP"})
    void blockOfWhichBytesAreMissingOrLeftIsRefusedWhereItsFramesTell(MessageCompressionType type) {
        byte[] whole = written(type).getMessageBlock();
        for (int length = 1; length < whole.length; length++) {
            refused(block(type, 30, Arrays.copyOf(whole, length)));
        }
        refused(block(type, 30, Arrays.copyOf(whole, whole.length + 1)));
    }

    @Test
    void headsOfCompressedBlocksAreRefusedWhenCut() {
        for (MessageCompressionType type : List.of(MessageCompressionType.LZ4, MessageCompressionType.GZIP)) {
            byte[] whole = written(type).getMessageBlock();
            for (int length = 1; length < (type == MessageCompressionType.LZ4 ? 5 : 18); length++) {
                refused(block(type, 1, Arrays.copyOf(whole, length)));
            }
        }
    }

    @Test
    void lengthsThatNoCompressionReachesAreRefused() {
        byte[] lz4 = ByteBuffer.allocate(20).putInt(0, 0xffffff7d).array();
        refused(block(MessageCompressionType.LZ4, 1, lz4));
        byte[] gzip = written(MessageCompressionType.GZIP).getMessageBlock();
        gzip[gzip.length - 1] = 0x40;
        refused(block(MessageCompressionType.GZIP, 1, gzip));
        byte[] snappy = {-1, -1, -1, -1, 7, 0, 0, 0};
        refused(block(MessageCompressionType.SNAPPY, 1, snappy));
        byte[] endless = {-1, -1, -1, -1, -1, -1, -1, -1};
        refused(block(MessageCompressionType.SNAPPY, 1, endless));
    }

    @Test
    void rawSnappyPasses() throws Exception {
        byte[] raw = Snappy.compress(MessageFormat.writeV3(messages(30)));

        MessageBlocks.checkClaims(block(MessageCompressionType.SNAPPY, 30, raw));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zstdPassesAlsoAsAStreamWritesItWithoutItsLength(boolean checksum) throws Exception {
        List<Message> messages = messages(5);
        byte[] body = new byte[700_000];
        new Random(1).nextBytes(body);
        Arrays.fill(body, 200_000, 500_000, (byte) 7);
        messages.add(new Message(ByteBuffer.wrap(body)));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream zstd = new ZstdOutputStream(bytes).setChecksum(checksum)) {
            zstd.write(MessageFormat.writeV3(messages));
        }
        MessageBlock block = block(MessageCompressionType.ZSTD, 6, bytes.toByteArray());

        assertThatCode(() -> MessageBlocks.checkClaims(block)).doesNotThrowAnyException();
        assertThatCode(() -> MessageBlocks.checkContents(block, 1 << 20)).doesNotThrowAnyException();
        refused(block(MessageCompressionType.ZSTD, 6, Arrays.copyOf(bytes.toByteArray(), bytes.size() - 1)));
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void contentsWithBytesBehindTheirMessagesAreRefused(MessageCompressionType type) {
        ByteBuffer longer = BlockCompression.compress(type, Arrays.copyOf(mixed(), mixed().length + 1));

        assertThatThrownBy(() -> MessageBlocks.checkContents(new MessageBlock(0, 3, type, longer), 1 << 20))
                .isInstanceOf(MalformedBlockException.class);
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void nothingIsAllocated(MessageCompressionType type) throws Exception {
        MessageBlock block = written(type);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        MessageBlocks.checkClaims(block);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000; i++) {
            MessageBlocks.checkClaims(block);
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000);
    }

    @Test
    void everyVersionAndAKafkaBatchAreWrittenAnewInAnArrayOfTheirSize() throws Exception {
        byte[] binary = new byte[200_000];
        new Random(1).nextBytes(binary);
        MessageBlock block =
                MessageBlocks.write(List.of(new Message(ByteBuffer.wrap(binary))), MessageCompressionType.ZSTD, 7);
        rewritten(block);
        rewritten(block(MessageCompressionType.NONE, 3, mixed()));
        rewritten(block(MessageCompressionType.NONE, 2, kafka()));
        byte[] empty = new byte[80_000];
        rewritten(block(MessageCompressionType.NONE, 10_000, empty));
    }

    private static void rewritten(MessageBlock block) throws Exception {
        AtomicLong length = new AtomicLong();
        ByteBuffer bytes = MessageBlocks.rewrite(block, MessageCompressionType.SNAPPY, 1 << 20, length::set);
        assertThat(bytes.capacity()).isEqualTo(bytes.remaining());
        List<MessageAndOffset> before = MessageBlocks.read(block, 1 << 20);
        before.forEach(each -> each.getMessage().unsetAppendTimestamp());
        MessageBlock after = new MessageBlock(0, before.size(), MessageCompressionType.SNAPPY, bytes);
        assertThat(MessageBlocks.read(after, length.get())).isEqualTo(before);
        assertThatThrownBy(() -> MessageBlocks.read(after, length.get() - 1))
                .isInstanceOfSatisfying(
                        MalformedBlockException.class,
                        e -> assertThat(e.isTooLarge()).isTrue());
    }

    @Test
    void blockWhoseTextsGrowInVersion3IsWrittenAnew() throws Exception {
        byte[] plain = new byte[8 + 1_000];
        Arrays.fill(plain, (byte) -1); // no UTF-8: three bytes for each
        ByteBuffer.wrap(plain).putInt(0, 1_000).putInt(1_004, 0);

        rewritten(block(MessageCompressionType.NONE, 1, plain));
    }

    @Test
    void kafkaBatchWhoseKeysAreNoTextIsWrittenAnew() throws Exception {
        Random random = new Random(1);
        ByteBuffer batch = ByteBuffer.allocate(10_000);
        batch.put(0, (byte) 'K').putInt(65, 100).position(69);
        for (int i = 0; i < 100; i++) {
            byte[] key = new byte[64];
            random.nextBytes(key);
            byte[] delta = i < 64 ? new byte[] {(byte) (2 * i)} : new byte[] {(byte) (2 * i | 0x80), 1};
            batch.put(varint(2 + delta.length + 2 + key.length + 3))
                    .put(new byte[] {0, 0})
                    .put(delta);
            batch.put(varint(key.length)).put(key).put(new byte[] {2, 'b', 0});
        }

        rewritten(block(MessageCompressionType.NONE, 100, Arrays.copyOf(batch.array(), batch.position())));
    }

    /** A number of 64 to 8191 as Kafka writes it. */
    private static byte[] varint(int number) {
        return new byte[] {(byte) ((2 * number) | 0x80), (byte) ((2 * number) >> 7)};
    }

    @Test
    void blockForWhichThereIsNoRoomIsNotWrittenAnew() {
        MessageBlock block = block(MessageCompressionType.NONE, 3, mixed());

        assertThatThrownBy(() -> MessageBlocks.rewrite(block, MessageCompressionType.SNAPPY, 1 << 20, bytes -> {
                    throw new MalformedBlockException("no room for " + bytes);
                }))
                .hasMessageStartingWith("no room for ");
    }
}
