// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.runtime.thread.NamedThreads;

/** The promises of every metadata store: {@link #open} is called again where a test restarts it. */
public abstract class MetadataStoreContract {
    private static final RowKey TABLE = RowKey.table('x');
    private static final RowKey KEY = TABLE.and("key");

    protected MetadataStore store;

    /** Opens the store of this test: each time the same rows. */
    protected abstract MetadataStore open() throws Exception;

    @BeforeEach
    void openStore() throws Exception {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void rowIsReadAsItWasWritten() throws Exception {
        long version = store.compareAndSet(KEY, 0, bytes("value")).orElseThrow();

        Row row = store.get(KEY).orElseThrow();

        assertThat(row.key()).isEqualTo(KEY);
        assertThat(row.version()).isEqualTo(version).isPositive();
        assertThat(row.value()).asString(UTF_8).isEqualTo("value");
    }

    @Test
    void emptyValueIsARow() throws Exception {
        store.compareAndSet(KEY, 0, new byte[0]).orElseThrow();

        assertThat(store.get(KEY).orElseThrow().value()).isEmpty();
    }

    @Test
    void missingRowIsEmpty() throws Exception {
        assertThat(store.get(KEY)).isEmpty();
        assertThat(store.scan(TABLE, 10)).isEmpty();
    }

    @Test
    void rowThatExistsIsNotMadeAgain() throws Exception {
        store.compareAndSet(KEY, 0, bytes("first")).orElseThrow();

        assertThat(store.compareAndSet(KEY, 0, bytes("second"))).isEmpty();
        assertThat(value(KEY)).isEqualTo("first");
    }

    @Test
    void writeAtAnOldVersionIsLost() throws Exception {
        long first = store.compareAndSet(KEY, 0, bytes("first")).orElseThrow();
        long second = store.compareAndSet(KEY, first, bytes("second")).orElseThrow();

        assertThat(store.compareAndSet(KEY, first, bytes("late"))).isEmpty();
        assertThat(second).isGreaterThan(first);
        assertThat(value(KEY)).isEqualTo("second");
    }

    @Test
    void writeToAMissingRowAtAVersionIsLost() throws Exception {
        assertThat(store.compareAndSet(KEY, 7, bytes("value"))).isEmpty();
        assertThat(store.get(KEY)).isEmpty();
    }

    @Test
    void deleteNamesTheVersion() throws Exception {
        long first = store.compareAndSet(KEY, 0, bytes("first")).orElseThrow();
        long second = store.compareAndSet(KEY, first, bytes("second")).orElseThrow();

        assertThat(store.compareAndDelete(KEY, first)).isFalse();
        assertThat(store.compareAndDelete(KEY, 0)).isFalse();
        assertThat(value(KEY)).isEqualTo("second");
        assertThat(store.compareAndDelete(KEY, second)).isTrue();
        assertThat(store.get(KEY)).isEmpty();
        assertThat(store.compareAndDelete(KEY, second)).isFalse();
        assertThat(store.compareAndDelete(KEY, 0)).isFalse();
    }

    @Test
    void versionOfADeletedRowDoesNotComeBack() throws Exception {
        long before = store.compareAndSet(KEY, 0, bytes("value")).orElseThrow();
        store.compareAndDelete(KEY, before);
        long after = store.compareAndSet(KEY, 0, bytes("value")).orElseThrow();

        assertThat(after).isGreaterThan(before);
        assertThat(store.compareAndSet(KEY, before, bytes("late"))).isEmpty();
        assertThat(store.compareAndDelete(KEY, before)).isFalse();
    }

    @Test
    void versionOfADeletedRowDoesNotComeBackAfterARestart() throws Exception {
        long before = store.compareAndSet(KEY, 0, bytes("value")).orElseThrow();
        store.compareAndDelete(KEY, before);

        restart();

        assertThat(store.compareAndSet(KEY, 0, bytes("value")).orElseThrow()).isGreaterThan(before);
    }

    @Test
    void scanReturnsThePrefixAndTheKeysBelowInOrder() throws Exception {
        List<RowKey> below = List.of(
                TABLE.and("a"),
                TABLE.and("a").and(1),
                TABLE.and("a").and(2),
                TABLE.and("a").and(256),
                TABLE.and("a").and("bb"),
                TABLE.and("a").and("longer part"));
        List<RowKey> all = new ArrayList<>(below);
        all.addAll(List.of(
                TABLE.and("ab"), TABLE.and("b").and(1), RowKey.table('w').and("a"), RowKey.table('y')));
        for (int i = all.size() - 1; i >= 0; i--) {
            store.compareAndSet(all.get(i), 0, bytes("v")).orElseThrow();
        }

        List<RowKey> scanned = keys(store.scan(TABLE.and("a"), 100));

        assertThat(scanned).isSorted().containsExactlyInAnyOrderElementsOf(below);
        assertThat(keys(store.scan(TABLE, 100))).isSorted().hasSize(below.size() + 2);
    }

    @Test
    void pagesTogetherAreTheWholeScan() throws Exception {
        for (int i = 0; i < 25; i++) {
            store.compareAndSet(TABLE.and("p").and(i), 0, bytes("v" + i)).orElseThrow();
        }
        store.compareAndSet(TABLE.and("q"), 0, bytes("behind")).orElseThrow();

        List<RowKey> paged = new ArrayList<>();
        List<Row> page = store.scan(TABLE.and("p"), 10);
        while (!page.isEmpty()) {
            paged.addAll(keys(page));
            page = store.scanAfter(TABLE.and("p"), paged.get(paged.size() - 1), 10);
        }

        assertThat(paged).hasSize(25).isEqualTo(keys(store.scan(TABLE.and("p"), 100)));
    }

    @Test
    void pageGoesOnAfterARowThatIsDeleted() throws Exception {
        for (int i = 0; i < 3; i++) {
            store.compareAndSet(TABLE.and(i), 0, bytes("v")).orElseThrow();
        }
        store.compareAndDelete(
                TABLE.and(1), store.get(TABLE.and(1)).orElseThrow().version());

        assertThat(keys(store.scanAfter(TABLE, TABLE.and(1), 10))).containsExactly(TABLE.and(2));
        assertThat(keys(store.scanAfter(TABLE, RowKey.table('a'), 10))).containsExactly(TABLE.and(0), TABLE.and(2));
    }

    @Test
    void beginningsHaveTheKeysTheVersionsAndTheFirstBytes() throws Exception {
        for (int i = 0; i < 3; i++) {
            store.compareAndSet(TABLE.and(i), 0, bytes("value " + i)).orElseThrow();
        }
        long version = store.compareAndSet(TABLE.and(3), 0, new byte[0]).orElseThrow();

        List<Row> found = store.scanBeginnings(TABLE, TABLE.and(1), 2, 5);

        assertThat(keys(found)).containsExactly(TABLE.and(2), TABLE.and(3));
        assertThat(found.get(0).value()).startsWith(bytes("value"));
        assertThat(found.get(1).value()).isEmpty();
        assertThat(found.get(1).version()).isEqualTo(version);
        assertThat(keys(store.scanBeginnings(TABLE, RowKey.table('a'), 10, 0))).hasSize(4);
    }

    @Test
    void writersOfOneRowLoseNothing() throws Exception {
        int threads = 8;
        int increments = 25;
        store.compareAndSet(KEY, 0, number(0)).orElseThrow();

        together(threads, () -> {
            for (int done = 0; done < increments; ) {
                Row row = store.get(KEY).orElseThrow();
                long next = ByteBuffer.wrap(row.value()).getLong() + 1;
                done += store.compareAndSet(KEY, row.version(), number(next)).isPresent() ? 1 : 0;
            }
            return null;
        });

        assertThat(ByteBuffer.wrap(store.get(KEY).orElseThrow().value()).getLong())
                .isEqualTo((long) threads * increments);
    }

    @Test
    void oneOfManyMakesTheRow() throws Exception {
        List<Boolean> made =
                together(8, () -> store.compareAndSet(KEY, 0, bytes("mine")).isPresent());

        assertThat(made).containsOnlyOnce(true);
    }

    @Test
    void versionsOfAllRowsDifferUnderConcurrentWrites() throws Exception {
        List<List<Long>> versions = together(4, () -> {
            List<Long> mine = new ArrayList<>();
            RowKey key = TABLE.and(Thread.currentThread().getName());
            long version = 0;
            for (int i = 0; i < 20; i++) {
                version = store.compareAndSet(key, version, bytes("v")).orElseThrow();
                mine.add(version);
            }
            return mine;
        });

        assertThat(versions).allSatisfy(mine -> assertThat(mine).isSorted().doesNotHaveDuplicates());
        Set<Long> distinct = new HashSet<>();
        versions.forEach(distinct::addAll);
        assertThat(distinct).hasSize(80);
    }

    @Test
    void rowsOutliveARestart() throws Exception {
        long version = store.compareAndSet(KEY, 0, bytes("value")).orElseThrow();

        restart();

        assertThat(value(KEY)).isEqualTo("value");
        assertThat(store.compareAndSet(KEY, version, bytes("next"))).isPresent();
    }

    @Test
    void closedStoreRefusesAndMayBeClosedAgain() {
        store.close();
        store.close();

        assertThatThrownBy(() -> store.get(KEY)).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
        assertThatThrownBy(() -> store.scan(TABLE, 1)).isInstanceOf(MetadataException.class);
        assertThatThrownBy(() -> store.compareAndSet(KEY, 0, bytes("v"))).isInstanceOf(MetadataException.class);
        assertThatThrownBy(() -> store.compareAndDelete(KEY, 1)).isInstanceOf(MetadataException.class);
    }

    @Test
    void callsInFlightEndWellWhenTheStoreCloses() throws Exception {
        CountDownLatch running = new CountDownLatch(4);
        ExecutorService pool = Executors.newFixedThreadPool(4, new NamedThreads("test"));
        List<Future<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RowKey key = TABLE.and(i);
            calls.add(pool.submit(() -> writeUntilClosed(key, running)));
        }
        running.await();

        store.close();

        List<Long> versions = new ArrayList<>();
        for (Future<Long> call : calls) {
            versions.add(call.get());
        }
        pool.shutdown();
        store = open();
        assertThat(store.scan(TABLE, 10)).extracting(Row::version).containsExactlyElementsOf(versions);
    }

    /** The last version that was acknowledged. */
    private long writeUntilClosed(RowKey key, CountDownLatch running) throws MetadataException {
        long version = store.compareAndSet(key, 0, bytes("v")).orElseThrow();
        running.countDown();
        while (true) {
            try {
                store.scan(TABLE, 10);
                version = store.compareAndSet(key, version, bytes("v")).orElseThrow();
            } catch (MetadataException e) {
                assertThat(e.effect()).isEqualTo(Effect.NONE);
                return version;
            }
        }
    }

    /** Closes the store and opens it again. */
    protected void restart() throws Exception {
        store.close();
        store = open();
    }

    private String value(RowKey key) throws MetadataException {
        return new String(store.get(key).orElseThrow().value(), UTF_8);
    }

    private static List<RowKey> keys(List<Row> rows) {
        return rows.stream().map(Row::key).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static <T> List<T> together(int threads, Callable<T> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads, new NamedThreads("test"));
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> done : pool.invokeAll(Collections.nCopies(threads, work))) {
                results.add(done.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
