// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.HBaseConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** Results for callers when HBase's daemons die, are paused, or move their regions. */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.ALL)
@Timeout(180)
class HBaseFaultsIT {
    private static final RowKey KEY = RowKey.table('x').and("key");
    private static final Duration PATIENT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(1_500);
    private static final Duration BACK = Duration.ofSeconds(90); // until HBase has noticed, and recovered its log

    private final DevCluster cluster;
    private final HBaseConfig config;
    private final HBaseConfig impatient; // the same table
    private final ExecutorService threads = Executors.newCachedThreadPool(new NamedThreads("test"));
    private MetadataStore store;

    HBaseFaultsIT(DevCluster cluster) {
        this.cluster = cluster;
        this.config = HBaseStores.config(cluster, PATIENT);
        this.impatient = TestConfig.of(HBaseConfig.class)
                .with("configDirectory", config.configDirectory())
                .with("table", config.table())
                .with("timeout", SHORT)
                .with("cacheAge", SHORT)
                .create();
    }

    @BeforeEach
    void open() throws Exception {
        store = HBaseStores.open(config);
    }

    @AfterEach
    void close() {
        store.close();
        threads.shutdownNow();
    }

    @Test
    void regionThatMovesLosesNoWrite() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        long first = store.compareAndSet(KEY, 0, number(0)).orElseThrow();
        Future<Long> counter = threads.submit(() -> {
            long version = first;
            long count = 0;
            while (!enough.get()) {
                version = store.compareAndSet(KEY, version, number(++count)).orElseThrow();
                begun.countDown();
            }
            return count;
        });
        begun.await();

        cluster.moveRegions(config.table());
        enough.set(true);

        long count = counter.get();
        assertThat(ByteBuffer.wrap(store.get(KEY).orElseThrow().value()).getLong())
                .isEqualTo(count);
    }

    @Test
    void regionServerThatStandsStillLetsCallsEndInTime() throws Exception {
        try (MetadataStore calls = HBaseStores.open(impatient)) {
            long version = calls.compareAndSet(KEY, 0, number(1)).orElseThrow();

            Daemon holder = holder();
            cluster.pause(holder);
            MetadataException write = failureInTime(() -> calls.compareAndSet(KEY, version, number(2)));
            MetadataException read = failureInTime(() -> calls.get(KEY));
            cluster.resume(holder);

            assertThat(read.effect()).isEqualTo(Effect.NONE);
            assertThat(write.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(write.reason()).isEqualTo(Reason.UNAVAILABLE);
            Row row = awaitRow(calls);
            assertThat(ByteBuffer.wrap(row.value()).getLong()).isBetween(1L, 2L);
            assertThat(store.compareAndSet(KEY, store.get(KEY).orElseThrow().version(), number(3)))
                    .isPresent();
        }
    }

    @Test
    void regionServerThatDiesKeepsWhatWasAnswered() throws Exception {
        try (MetadataStore calls = HBaseStores.open(impatient)) {
            long version = calls.compareAndSet(KEY, 0, number(1)).orElseThrow();

            Daemon holder = holder();
            cluster.kill(holder);
            MetadataException write = failureInTime(() -> calls.compareAndSet(KEY, version, number(2)));
            cluster.start(holder);

            Row row = awaitRow(calls);
            assertThat(row.version()).isEqualTo(version);
            assertThat(write.reason()).isIn(Reason.UNAVAILABLE, Reason.BUSY);
            assertThat(store.compareAndSet(KEY, version, number(3))).isPresent();
        }
    }

    @Test
    void callsEndInTimeWhileAllOfHBaseIsGone() throws Exception {
        try (MetadataStore calls = HBaseStores.open(impatient)) {
            long version = calls.compareAndSet(KEY, 0, number(1)).orElseThrow();

            cluster.kill(Daemon.REGIONSERVER_1);
            cluster.kill(Daemon.REGIONSERVER_2);
            cluster.kill(Daemon.HMASTER);
            for (int i = 0; i < 5; i++) {
                assertThat(failureInTime(() -> calls.get(KEY)).effect()).isEqualTo(Effect.NONE);
                assertThat(failureInTime(() -> calls.scan(KEY, 1)).effect()).isEqualTo(Effect.NONE);
            }
            cluster.heal();

            assertThat(awaitRow(calls).version()).isEqualTo(version);
            assertThat(store.compareAndSet(KEY, version, number(2))).isPresent();
        }
    }

    @Test
    void writeWhoseAnswerIsLostIsFound() throws Exception {
        HBaseTable table = HBaseStores.connect(config);
        WatchedCellTable watched = new WatchedCellTable(table.calls(), true);
        try (MetadataStore calls = over(table, watched)) {
            long version = calls.compareAndSet(KEY, 0, number(1)).orElseThrow();

            assertThat(store.get(KEY).orElseThrow().version()).isEqualTo(version);
            assertThat(watched.mutations()).isEqualTo(1);
        }
    }

    @Test
    void writeThatArrivesLateIsDoneOnce() throws Exception {
        HBaseTable table = HBaseStores.connect(config);
        WatchedCellTable watched = new WatchedCellTable(table.calls(), false);
        try (MetadataStore calls = over(table, watched)) {
            long first = store.compareAndSet(KEY, 0, number(1)).orElseThrow();
            calls.scan(KEY, 1); // its connection stands

            Daemon holder = holder();
            cluster.pause(holder);
            Future<Long> write = threads.submit(
                    () -> calls.compareAndSet(KEY, first, number(2)).orElseThrow());
            watched.awaitRead(); // the write is in flight, and its answer no longer awaited
            cluster.resume(holder);

            long written = write.get();
            assertThat(store.get(KEY).orElseThrow().version()).isEqualTo(written);
            StoredRow cell =
                    StoredRow.decode(table.calls().get(KEY.bytes()).get().orElseThrow());
            assertThat(cell.previous()).isEqualTo(first);
        }
    }

    private static MetadataStore over(HBaseTable table, CellTable calls) throws MetadataException {
        Versions versions = new Versions(SystemTime.wallClock(), table.nextSession());
        Write.Target writes = new Write.Target(calls, versions, HBaseStores.metrics());
        return new HBaseMetadataStore(table::close, writes, SystemTime.ticker(), new CallTimes(Duration.ofSeconds(12)));
    }

    /** The region server that has the table's only region. */
    private Daemon holder() throws Exception {
        int port = HBaseStores.portOf(config);
        return cluster.address(Daemon.REGIONSERVER_1).getPort() == port ? Daemon.REGIONSERVER_1 : Daemon.REGIONSERVER_2;
    }

    private static Row awaitRow(MetadataStore store) {
        return await().atMost(BACK)
                .ignoreExceptionsInstanceOf(MetadataException.class)
                .until(() -> store.get(KEY), Optional::isPresent)
                .orElseThrow();
    }

    private static MetadataException failureInTime(Question question) {
        Ticker ticker = SystemTime.ticker();
        long begin = ticker.nanos();
        MetadataException failure = catchThrowableOfType(MetadataException.class, question::ask);
        assertThat(failure).as("the call's failure").isNotNull();
        assertThat(Duration.ofNanos(ticker.nanos() - begin)).isLessThan(SHORT.plusSeconds(1));
        return failure;
    }

    private interface Question {
        Object ask() throws MetadataException;
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
