// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;

/** Messages with headers that no HTTP header would carry, as Thrift lets them be put. */
class MessageHeadersTest {
    private static final int LONG = 4 << 20;

    private static Message message(String name, byte[] value) {
        Message message = new Message(ByteBuffer.wrap(new byte[] {'x'}));
        message.setHeaders(Map.of(name, ByteBuffer.wrap(value)));
        return message;
    }

    private static byte[] text(int length) {
        return "v".repeat(length).getBytes(UTF_8);
    }

    private static RestAnswer described(Message message) {
        RestAnswer answer =
                RestAnswer.bytes(200, MessageHeaders.contentType(message), List.of(message.bufferForMessage()));
        return MessageHeaders.describe(answer, message, 7);
    }

    private static long allocated(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        work.run(); // loads what it needs
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void assertTooLarge(Message message) {
        assertThatThrownBy(() -> described(message))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(406));
    }

    @Test
    void longValueIsRefusedWithoutADecodedCopy() {
        for (String name : List.of("name", "content-type")) {
            Message message = message(name, text(LONG));

            assertThat(allocated(() -> assertTooLarge(message))).isLessThan(256 << 10);
        }
    }

    @Test
    void longValueThatNoHttpHeaderCarriesIsNotDecoded() {
        Message message = message("a name", text(LONG));

        assertThat(allocated(() -> described(message))).isLessThan(64 << 10);
        assertThat(described(message).headers()).doesNotContainKey("talos-header-a name");
    }

    @Test
    void malformedValueCountsAsItIsEncoded() {
        byte[] malformed = new byte[368]; // nine bytes each as %EF%BF%BD
        Arrays.fill(malformed, (byte) 0xff);

        assertTooLarge(message("name", malformed));
        assertThat(described(message("name", Arrays.copyOf(malformed, 360))).headers())
                .containsEntry("talos-header-name", "%EF%BF%BD".repeat(360));
    }

    @Test
    void valueIsCountedToTheByte() {
        int most = MessageHeaders.MAX_ENCODED_BYTES - "talos-header-name: \r\n".length();

        assertThat(described(message("name", text(most))).headers()).containsKey("talos-header-name");
        assertTooLarge(message("name", text(most + 1)));
    }
}
