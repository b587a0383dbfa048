// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.ProblemException;

/** Bodies in members of gzip. */
class BodyInflaterTest {
    private final BodyInflater inflater = new BodyInflater(1 << 20, 0, bytes -> true);

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static ByteBuffer members(int empty, String last) throws IOException {
        byte[] one = gzip("");
        byte[] end = gzip(last);
        ByteBuffer body = ByteBuffer.allocate(empty * one.length + end.length);
        for (int i = 0; i < empty; i++) {
            body.put(one);
        }
        return body.put(end).flip();
    }

    @Test
    void veryManyEmptyMembersAreRefused() throws Exception {
        ByteBuffer body = members(100_000, "");

        assertThatThrownBy(() -> inflater.inflate("gzip", body))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(400))
                .hasMessageContaining("empty members");
    }

    /** The JDK has no words for it: the sender got a "null". */
    @Test
    void bodyThatEndsTooSoonIsSaidToDoSo() throws Exception {
        byte[] whole = gzip("a text that is long enough to be cut");

        for (int length : new int[] {1, 9, 20, whole.length - 1}) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> new BodyInflater(1 << 20, 0, bytes -> true).inflate("gzip", cut))
                    .hasMessage("the body is not gzip: it ends too soon");
        }
        assertThatThrownBy(() -> inflater.inflate("zstd", ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9})))
                .hasMessageStartingWith("the body is not zstd: ")
                .hasMessageNotContaining("null");
    }

    @Test
    void nothingIsAllocatedBesideWhatIsReserved() throws Exception {
        byte[] random = new byte[4 << 20];
        new Random(17).nextBytes(random); // as long compressed as plain
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(random);
        }
        ByteBuffer body = ByteBuffer.allocate(bytes.size() + 20)
                .position(10)
                .put(bytes.toByteArray())
                .flip()
                .position(10);
        AtomicLong reserved = new AtomicLong();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        ByteBuffer plain = new BodyInflater(8 << 20, 3, more -> reserved.addAndGet(more) > 0).inflate("gzip", body);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before - reserved.get())
                .isLessThan(256 << 10);
        assertThat(plain).isEqualTo(ByteBuffer.wrap(random));
    }

    @Test
    void whatFollowsTheMembersIsRefused() throws Exception {
        for (int more : new int[] {1, 7, 8, 9, 17, 18, 19, 40, 600}) {
            ByteBuffer body = members(2, "text");
            ByteBuffer longer =
                    ByteBuffer.allocate(body.remaining() + more).put(body).position(0);

            assertThatThrownBy(() -> inflater.inflate("gzip", longer))
                    .as("%s bytes", more)
                    .hasMessage("the body is not gzip: something follows the compressed bytes");
        }
    }

    @Test
    void emptyMembersBeforeOthersArePassedOver() throws Exception {
        assertThat(UTF_8.decode(inflater.inflate("gzip", members(10, "text"))).toString())
                .isEqualTo("text");
    }
}
