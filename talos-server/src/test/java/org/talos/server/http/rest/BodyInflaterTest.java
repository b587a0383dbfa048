// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
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

    /** The JDK has no words for it: «null» was told to whoever had sent it. */
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
    void emptyMembersBeforeOthersArePassedOver() throws Exception {
        assertThat(UTF_8.decode(inflater.inflate("gzip", members(10, "text"))).toString())
                .isEqualTo("text");
    }
}
