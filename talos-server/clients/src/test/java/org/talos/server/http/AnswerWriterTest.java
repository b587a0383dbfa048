// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.Sequence;
import org.talos.server.http.lent.LentBuffers;

class AnswerWriterTest {
    private static final long SEED = 17;

    private final LentBuffers pool = new LentBuffers(16L << 20);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<Integer> writes = new ArrayList<>();
    private final List<ByteBuffer> held = new ArrayList<>(); // of writes that have failed, to be read later
    private final List<String> ends = new ArrayList<>();
    private final Queue<Runnable> heavy = new ArrayDeque<>();
    private final HttpFields.Mutable headers = HttpFields.build();
    private final Response response = response();
    private int failingWrite = Integer.MAX_VALUE;
    private boolean lastSeen;

    private static <T> T of(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Takes what is written at once; of Jetty's response nothing else is asked for. */
    private Response response() {
        return of(Response.class, (proxy, method, arguments) -> {
            if (method.getName().equals("getHeaders")) {
                return headers;
            }
            write((Boolean) arguments[0], (ByteBuffer) arguments[1], (Callback) arguments[2]);
            return null;
        });
    }

    private void write(boolean last, ByteBuffer bytes, Callback callback) {
        assertThat(lastSeen).isFalse();
        lastSeen = last;
        writes.add(bytes.remaining());
        if (writes.size() == failingWrite) {
            held.add(bytes.duplicate());
            callback.failed(new EOFException("gone"));
            return;
        }
        byte[] taken = new byte[bytes.remaining()];
        bytes.get(taken);
        written.writeBytes(taken);
        callback.succeeded();
    }

    private byte[] write(List<ByteBuffer> buffers) {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (ByteBuffer each : buffers) {
            byte[] bytes = new byte[each.remaining()];
            each.duplicate().get(bytes);
            expected.writeBytes(bytes);
        }
        write(new Bytes(buffers));
        return expected.toByteArray();
    }

    private void write(Body body) {
        AnswerWriter.write(response, body, heavy::add, pool, new Callback() {
            @Override
            public void succeeded() {
                ends.add("succeeded");
            }

            @Override
            public void failed(@Nullable Throwable cause) {
                ends.add("failed");
            }
        });
    }

    /** A body that is not measured. */
    private static Body rendered(byte[] bytes, long mostBytes) {
        return new Sequence(List.of(new Bytes(List.of(ByteBuffer.wrap(bytes)))).iterator(), mostBytes);
    }

    @Test
    void whatIsRenderedTakesOneBufferHoweverLongItIs() {
        byte[] expected = new byte[10 * AnswerWriter.RENDERED_PIECE_BYTES + 1];
        new Random(SEED).nextBytes(expected);

        write(rendered(expected, 6L * expected.length));

        assertThat(writes).containsExactly(AnswerWriter.RENDERED_PIECE_BYTES);
        while (!heavy.isEmpty()) {
            heavy.remove().run(); // not on the thread that has the connection
        }
        assertThat(written.toByteArray()).isEqualTo(expected);
        assertThat(writes).hasSize(11);
        assertThat(headers.contains(HttpHeader.CONTENT_LENGTH)).isFalse();
        assertThat(ends).containsExactly("succeeded");
    }

    @Test
    void whatIsRenderedIntoOneBufferHasItsLength() {
        write(rendered(new byte[100], 600));

        assertThat(writes).containsExactly(100);
        assertThat(headers.get(HttpHeader.CONTENT_LENGTH)).isEqualTo("100");
        assertThat(AnswerWriter.memory(rendered(new byte[100], 600))).isEqualTo(600);
    }

    private static List<ByteBuffer> buffers(Random random, int count, int mostBytes) {
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[random.nextInt(mostBytes + 1)];
            random.nextBytes(bytes);
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            buffers.add(i % 2 == 0 ? buffer : buffer.asReadOnlyBuffer()); // as blocks come out of Thrift
        }
        return buffers;
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "1, 300000", "2, 10", "3, 10000", "201, 10000", "5, 300000", "7, 0"})
    void allBytesAreWrittenInOrderAndThenTheEnd(int count, int mostBytes) {
        byte[] expected = write(buffers(new Random(SEED), count, mostBytes));

        assertThat(written.toByteArray()).isEqualTo(expected);
        assertThat(lastSeen).isTrue();
        assertThat(ends).containsExactly("succeeded");
        assertThat(writes).hasSizeLessThanOrEqualTo(1 + expected.length / LentBuffers.LARGEST_BYTES);
    }

    @Test
    void writeThatFailsEndsTheAnswer() {
        failingWrite = 2;

        write(buffers(new Random(SEED), 100, 10_000));

        assertThat(writes).hasSize(2);
        assertThat(ends).containsExactly("failed");
    }

    @Test
    void nothingIsWrittenOverWhatAFailedWriteMayStillSend() {
        byte[] first = new byte[3 * LentBuffers.LARGEST_BYTES];
        Arrays.fill(first, (byte) 'a');
        failingWrite = 2;
        write(List.of(ByteBuffer.wrap(first)));

        for (int answer = 0; answer < 50; answer++) {
            lastSeen = false;
            byte[] next = new byte[3 * LentBuffers.LARGEST_BYTES];
            Arrays.fill(next, (byte) 'b');
            write(List.of(ByteBuffer.wrap(next)));
        }

        byte[] sentLate = new byte[held.get(0).remaining()];
        held.get(0).get(sentLate);
        assertThat(sentLate).containsOnly('a');
    }

    @Test
    void answersShareTheBuffersOfThoseThatWereWritten() {
        for (int answer = 0; answer < 50; answer++) {
            lastSeen = false;
            write(buffers(new Random(SEED), 100, 10_000));
        }

        assertThat(pool.existingBytes()).isEqualTo(LentBuffers.LARGEST_BYTES);
    }
}
