// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageType;

class RawMessageTest {
    private static Message about(String key, int headerBytes) {
        Message message = new Message();
        message.setMessage(new byte[0]);
        message.setPartitionKey(key);
        message.setTag("tag");
        message.setMessageType(MessageType.BINARY);
        message.setCreateTimestamp(1_700_000_000_000L);
        message.setHeaders(Map.of("a", ByteBuffer.allocate(headerBytes)));
        return message;
    }

    private static ByteBuffer inRoom(byte[] bytes, int room) {
        byte[] array = new byte[bytes.length + 2 * room];
        System.arraycopy(bytes, 0, array, room, bytes.length);
        return ByteBuffer.wrap(array, room, bytes.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 127, 128, 8_191, 16_383, 16_384, 2_097_151, 2_097_152})
    void readerFindsTheMessageWhateverTheLength(int length) throws Exception {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        Message about = about("key", 5);

        MessageBlock block = RawMessage.around(inRoom(bytes, RawMessage.ROOM_BYTES), about);

        MessageBlocks.checkClaims(block);
        Message read = MessageBlocks.read(block, Long.MAX_VALUE).get(0).getMessage();
        about.setMessage(bytes);
        assertThat(read).isEqualTo(about);
    }

    @Test
    void bytesStayWhereTheyAreIfThereIsRoom() throws Exception {
        byte[] array = new byte[100 + 2 * RawMessage.ROOM_BYTES];
        ByteBuffer body = ByteBuffer.wrap(array, RawMessage.ROOM_BYTES, 100);

        MessageBlock block = RawMessage.around(body, about("key", 5));
        array[RawMessage.ROOM_BYTES + 50] = 77;

        assertThat(MessageBlocks.read(block, Long.MAX_VALUE).get(0).getMessage().getMessage()[50])
                .isEqualTo((byte) 77);
    }

    @Test
    void bytesAreCopiedIfThereIsNot() throws Exception {
        ByteBuffer body = inRoom(new byte[] {1, 2, 3}, 10);
        Message about = about("key", 500);

        MessageBlock block = RawMessage.around(body, about);

        assertThat(MessageBlocks.read(block, Long.MAX_VALUE).get(0).getMessage().getMessage())
                .containsExactly(1, 2, 3);
        assertThat(body.get(body.position())).as("the body is as it was").isEqualTo((byte) 1);
    }
}
