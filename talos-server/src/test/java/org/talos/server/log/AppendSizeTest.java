// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.memory.Buffers;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;

/** A journal has room for an append of limited size in its last block, and all partitions wait for each append. */
@Timeout(30)
class AppendSizeTest {
    private static final int PUT_BYTES = 1 << 20;
    private static final int PUTS = 30;
    private static final long MOST = 8L << 20;

    private final LogFixture fixture = new LogFixture();
    private final Queue<Runnable> openings = new ArrayDeque<>();
    private final List<Long> appends = new ArrayList<>(); // bytes

    AppendSizeTest() {
        fixture.segmentBytes = 1 << 30;
        fixture.openings = openings::add;
        fixture.around = store -> proxy(
                SegmentStore.class,
                store,
                (name, result) -> result instanceof SegmentWriter writer ? measured(writer) : result);
    }

    private SegmentWriter measured(SegmentWriter writer) {
        return (SegmentWriter) Proxy.newProxyInstance(
                SegmentWriter.class.getClassLoader(),
                new Class<?>[] {SegmentWriter.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("queue")) {
                        @SuppressWarnings("unchecked")
                        List<ByteBuffer> bytes = (List<ByteBuffer>) arguments[0];
                        appends.add(Buffers.bytes(bytes));
                    }
                    return call(method, writer, arguments);
                });
    }

    private static <T> T proxy(Class<T> type, T real, BiFunction<String, Object, Object> result) {
        InvocationHandler handler =
                (self, method, arguments) -> result.apply(method.getName(), call(method, real, arguments));
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object call(Method method, Object on, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Put put(int number, int bytes) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(bytes));
        return new Put("p#" + number, Put.Origin.UNIQUE, List.of(block));
    }

    private void makeSegments() {
        for (Runnable next = openings.poll(); next != null; next = openings.poll()) {
            next.run();
        }
    }

    @Test
    void putsThatWaitedForASegmentAreAppendedInPiecesAndInTheirOrder() throws Exception {
        PartitionLog log = fixture.open();
        List<PutTicket> tickets = new ArrayList<>();
        for (int i = 0; i < PUTS; i++) {
            tickets.addAll(log.append(List.of(put(i, PUT_BYTES))));
        }

        makeSegments();

        assertThat(appends).allMatch(bytes -> bytes <= MOST).hasSize(5);
        for (int i = 0; i < PUTS; i++) {
            assertThat(tickets.get(i).firstOffset()).isCompletedWithValue((long) i);
        }
    }

    @Test
    void putsThatComeTogetherAreAppendedInPiecesToo() throws Exception {
        PartitionLog log = fixture.open();

        List<PutTicket> tickets = log.append(
                IntStream.range(0, PUTS).mapToObj(i -> put(i, PUT_BYTES)).toList());
        makeSegments();

        assertThat(appends).allMatch(bytes -> bytes <= MOST).hasSize(5);
        assertThat(tickets).hasSize(PUTS);
        assertThat(tickets.get(PUTS - 1).firstOffset()).isCompletedWithValue(PUTS - 1L);
    }

    @Test
    void putThatIsLargerAloneIsOneAppend() throws Exception {
        PartitionLog log = fixture.open();

        List<PutTicket> tickets = log.append(List.of(put(0, 10), put(1, 9 << 20), put(2, 10)));
        makeSegments();

        assertThat(appends).hasSize(3);
        assertThat(tickets.get(2).firstOffset()).isCompletedWithValue(2L);
    }
}
