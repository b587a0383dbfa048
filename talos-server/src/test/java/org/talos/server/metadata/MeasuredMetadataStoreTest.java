// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.FailingMetadataStore;

final class MeasuredMetadataStoreTest {
    private static final RowKey KEY = RowKey.table('x');

    @TempDir
    private Path directory;

    private final Metrics metrics = new Metrics(SystemTime.ticker());
    private FailingMetadataStore failing;

    @AutoClose
    private MetadataStore store;

    @BeforeEach
    void open() throws Exception {
        failing = new FailingMetadataStore(RocksDbMetadataStore.open(directory.resolve("metadata")));
        store = new MeasuredMetadataStore(failing, new MetadataMetrics(metrics), () -> 0L);
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void failureIsCountedByItsReasonAndPassedOn(Reason reason) throws Exception {
        failing.failScans(1, reason);

        assertThatThrownBy(() -> store.scan(KEY, 1))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(reason));

        assertThat(new PrometheusText(metrics).write())
                .contains("reason=\"" + reason.name().toLowerCase(Locale.ROOT) + "\"} 1");
    }

    @Test
    void probeSaysThatTheDiskIsFull() {
        failing.refuseAfter(0, Reason.FULL);

        assertThat(new MetadataProbe(store).failure())
                .hasValueSatisfying(why -> assertThat(why).startsWith("rows cannot be written: "));
    }
}
