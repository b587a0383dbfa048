// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.MetadataStoreContract;
import org.talos.server.metadata.RowKey;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.time.SystemTime;

/** The contract on a table in memory, for the store's own logic; HBaseMetadataStoreIT has a real one. */
@Timeout(60)
final class HBaseMetadataStoreTest extends MetadataStoreContract {
    private final FakeCellTable calls = new FakeCellTable();
    private long session;

    @Override
    protected MetadataStore open() {
        return open(calls);
    }

    private MetadataStore open(CellTable answering) {
        Versions versions = new Versions(SystemTime.wallClock(), ++session);
        MetadataMetrics metrics = new MetadataMetrics(new Metrics(SystemTime.ticker()));
        return new HBaseMetadataStore(
                () -> {},
                new Write.Target(answering, versions, metrics),
                SystemTime.ticker(),
                new CallTimes(Duration.ofSeconds(30)));
    }

    @Test
    void callBeyondTheBoundIsRefusedAsBusyAndClosingWaitsForTheOthers() throws Exception {
        int bound = 256;
        CompletableFuture<Optional<byte[]>> answer = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(bound);
        MetadataStore slow = open(new SlowCalls(answer, sent));
        ExecutorService pool = Executors.newFixedThreadPool(bound, new NamedThreads("test"));
        RowKey key = RowKey.table('x');
        var gets = Collections.nCopies(bound, 0).stream()
                .map(i -> pool.submit(() -> slow.get(key)))
                .toList();
        sent.await();

        assertThatThrownBy(() -> slow.get(key)).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.BUSY);
            assertThat(e.effect()).isEqualTo(Effect.NONE);
        });
        answer.complete(Optional.empty());
        slow.close();

        assertThat(gets).allSatisfy(get -> assertThat(get.get()).isEmpty());
        pool.shutdown();
    }

    /** Answers gets when the test completes the future. */
    private record SlowCalls(CompletableFuture<Optional<byte[]>> answer, CountDownLatch sent) implements CellTable {
        @Override
        public CompletableFuture<?> locate(byte[] key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Optional<byte[]>> get(byte[] key) {
            sent.countDown();
            return answer;
        }

        @Override
        public CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<List<KeyedCell>> scan(KeyRange range, int limit) {
            throw new UnsupportedOperationException();
        }
    }
}
