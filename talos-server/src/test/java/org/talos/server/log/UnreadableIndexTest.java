// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.common.error.Effect;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;

/** An index is only a shortcut: whatever has become of it, its segment opens and is read. */
@Timeout(30)
class UnreadableIndexTest {
    private static final int PUTS = 50;

    private final LogFixture fixture = new LogFixture();
    private SegmentName name;
    private byte[] index;

    @BeforeEach
    void sealASegment() throws Exception {
        PartitionLog log = fixture.open();
        for (int i = 0; i < PUTS; i++) {
            byte[] text = String.format(Locale.ROOT, "%-100d", i).getBytes(StandardCharsets.UTF_8);
            Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(text));
            log.append(List.of(new Put("p#" + i, Put.Origin.UNIQUE, List.of(block))))
                    .get(0)
                    .firstOffset()
                    .join();
        }
        log.close();
        name = fixture.catalog.last();
        index = fixture.store.loadIndex(name).orElseThrow();
        fixture.indexes = new SegmentIndexes(1 << 20); // as after a restart
    }

    static Stream<Damage> damages() {
        return Stream.of(
                new Damage("cut", bytes -> Arrays.copyOf(bytes, bytes.length - 5)),
                new Damage("a bit flipped", bytes -> {
                    byte[] flipped = bytes.clone();
                    flipped[bytes.length / 2] ^= 8;
                    return flipped;
                }),
                new Damage(
                        "garbage", bytes -> "not an index, but long enough for one".getBytes(StandardCharsets.UTF_8)),
                new Damage("empty", bytes -> new byte[0]));
    }

    /** An index after a fault. Immutable. */
    private record Damage(String what, UnaryOperator<byte[]> of) {
        @Override
        public String toString() {
            return what;
        }
    }

    private SegmentStore withUnreadableIndexes(SegmentStore real) {
        return (SegmentStore) Proxy.newProxyInstance(
                SegmentStore.class.getClassLoader(),
                new Class<?>[] {SegmentStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("loadIndex")) {
                        throw StorageException.unavailable(
                                "index cannot be read", Effect.NONE, new IOException("no DataNode has the block"));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void assertAllIsRead(LogFixture of) throws StorageException {
        PartitionLog reopened = of.open();

        assertThat(reopened.read(0, LogFixture.ALL).blocks()).hasSize(PUTS);
        assertThat(reopened.read(PUTS - 1, LogFixture.ALL).blocks()).hasSize(1);
        assertThat(reopened.offsetAtTime(0)).isZero();
    }

    @ParameterizedTest
    @MethodSource("damages")
    void sealedSegmentOpensWhateverItsIndexHolds(Damage damage) throws Exception {
        fixture.store.replaceIndex(name, damage.of.apply(index));

        assertAllIsRead(fixture);
    }

    @Test
    void sealedSegmentOpensAlthoughItsIndexCanNotBeRead() throws Exception {
        fixture.around = this::withUnreadableIndexes;

        assertAllIsRead(fixture);
    }

    @Test
    void segmentWhoseRowDidNotFollowItsIndexOpensAlthoughThatCanNotBeRead() throws Exception {
        LogFixture unsealed = new LogFixture(); // the owner died before the row followed the index
        unsealed.catalog.has(name);
        unsealed.store.replace(name, fixture.store.bytes(name));
        unsealed.around = this::withUnreadableIndexes;

        assertAllIsRead(unsealed);

        assertThat(unsealed.catalog.segments().get(0).sealed()).isTrue();
        assertThat(unsealed.store.loadIndex(name)).contains(index);
    }
}
