// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.HBaseConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.MetadataStoreContract;
import org.talos.server.metadata.RowKey;

/** The store's promises, kept by a real HBase. */
@WithDevCluster(Parts.ALL)
@Timeout(120)
class HBaseMetadataStoreIT extends MetadataStoreContract {
    private static final RowKey KEY = RowKey.table('x').and("key");

    private final HBaseConfig config;

    HBaseMetadataStoreIT(DevCluster cluster) {
        config = HBaseStores.config(cluster, Duration.ofSeconds(20));
    }

    @Override
    protected MetadataStore open() throws Exception {
        return HBaseStores.open(config);
    }

    @Test
    void twoServersTakeTurnsAtARow() throws Exception {
        try (MetadataStore other = open()) {
            long version = 0;
            for (int i = 0; i < 10; i++) {
                long next = (i % 2 == 0 ? store : other)
                        .compareAndSet(KEY, version, new byte[1])
                        .orElseThrow();
                assertThat(next).isGreaterThan(version);
                version = next;
            }

            assertThat(store.compareAndDelete(KEY, version)).isTrue();
            assertThat(other.compareAndSet(KEY, version, new byte[1])).isEmpty();
            assertThat(other.compareAndSet(KEY, 0, new byte[1]).orElseThrow()).isGreaterThan(version);
        }
    }

    @Test
    void tableIsMadeOnceAndDescribed() throws Exception {
        try (HBaseTable table = HBaseStores.connect(config)) {
            assertThat(table.create()).isFalse();
            assertThat(table.facts().regions()).isEqualTo(1);
            assertThat(table.facts().servers()).isPositive();
            assertThat(table.facts().version()).startsWith("2.6");
            assertThat(table.facts().problems()).isEmpty();
        }
    }

    @Test
    void tableThatIsNotThereIsNamed() throws Exception {
        HBaseConfig missing = TestConfig.of(HBaseConfig.class)
                .with("configDirectory", config.configDirectory())
                .with("table", "no-such-table")
                .with("timeout", config.timeout())
                .with("cacheAge", config.cacheAge())
                .create();
        try (HBaseTable table = HBaseStores.connect(missing)) {
            assertThatThrownBy(table::check)
                    .isInstanceOf(MetadataException.class)
                    .hasMessageContaining("no table no-such-table")
                    .hasMessageContaining("talos init");
        }
    }

    @Test
    void newerFormatIsRefused() throws Exception {
        try (HBaseTable table = HBaseStores.connect(config)) {
            byte[] newer = ByteBuffer.allocate(Integer.BYTES).putInt(2).array();
            assertThat(table.calls()
                            .replace("\0format".getBytes(US_ASCII), 1, StoredRow.row(2, 1, newer))
                            .get())
                    .isTrue();

            assertThatThrownBy(table::check).isInstanceOfSatisfying(MetadataException.class, e -> {
                assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_FORMAT);
                assertThat(e).hasMessageContaining("format version 2 (expected: 1)");
            });
        }
    }

    @Test
    void tableWhoseRowsEndIsRefused() throws Exception {
        HBaseConfig ending = TestConfig.of(HBaseConfig.class)
                .with("configDirectory", config.configDirectory())
                .with("table", config.table() + "-ttl")
                .with("timeout", config.timeout())
                .with("cacheAge", config.cacheAge())
                .create();
        try (AsyncConnection connection = ConnectionFactory.createAsyncConnection(ClientConfiguration.hbase(ending))
                        .get(30, TimeUnit.SECONDS);
                HBaseTable table = HBaseStores.connect(ending)) {
            connection
                    .getAdmin()
                    .createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf(ending.table()))
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(HBaseCellTable.FAMILY)
                                    .setTimeToLive(60)
                                    .build())
                            .build())
                    .get(60, TimeUnit.SECONDS);

            assertThatThrownBy(table::create)
                    .isInstanceOf(MetadataException.class)
                    .hasMessageContaining("rows end after 60 s");
        }
    }
}
