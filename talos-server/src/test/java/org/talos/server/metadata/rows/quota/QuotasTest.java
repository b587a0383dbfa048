// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;

final class QuotasTest {
    private static final QuotaRecord ONE = new QuotaRecord(1, 1, 1, 1, 1, 1);
    private static final byte[] BAD = "{\"v\":99}".getBytes(StandardCharsets.UTF_8);
    private static final QuotaRecord TWO = new QuotaRecord(2, 2, 2, 2, 2, 2);

    @TempDir
    private Path directory;

    @Test
    void whatAnotherServerHasDoneIsSeenAfterARefresh() throws Exception {
        try (MetadataStore store = RocksDbMetadataStore.open(directory)) {
            Quotas quotas = Quotas.load(store);
            Quotas other = Quotas.load(store);
            quotas.setUser("ada", ONE);
            quotas.setTopic("topic", ONE);
            quotas.updateOrg("org", org -> new OrgQuotaRecord(64, -1, "", "Shop"));
            assertThat(other.refresh()).isEmpty();
            assertThat(other.refreshOrgs()).isEmpty();
            assertThat(other.ofTopic("topic")).contains(ONE);
            assertThat(other.ofOrg("org").approved()).isEqualTo(64);

            quotas.setUser("ada", TWO);
            quotas.removeTopic("topic");
            assertThat(other.refresh()).isEmpty();

            assertThat(other.ofUser("ada")).contains(TWO);
            assertThat(other.ofTopic("topic")).isEmpty();
        }
    }

    @Test
    void rowThatCannotBeReadStaysAsItWasAndStopsNoOther() throws Exception {
        try (MetadataStore store = RocksDbMetadataStore.open(directory)) {
            Quotas quotas = Quotas.load(store);
            Quotas other = Quotas.load(store);
            quotas.setUser("ada", ONE);
            quotas.setUser("bob", ONE);
            quotas.updateOrg("CL1", org -> org.approving(64));
            assertThat(other.refresh()).isEmpty();
            assertThat(other.refreshOrgs()).isEmpty();

            RowKey bad = RowKey.table(Quotas.TABLE).and("user").and("ada");
            store.compareAndSet(bad, store.get(bad).orElseThrow().version(), BAD);
            store.compareAndSet(RowKey.table(Quotas.TABLE).and("planet").and("mars"), 0, BAD);
            store.compareAndSet(RowKey.table(Quotas.ORG_TABLE).and("CL0"), 0, BAD);
            quotas.removeUser("bob");
            quotas.setTopic("topic", TWO);
            quotas.updateOrg("CL1", org -> org.approving(65));
            assertThat(other.refresh()).containsOnlyKeys("quota of planet mars", "quota of user ada");
            assertThat(other.refreshOrgs()).containsOnlyKeys("quota of org CL0");

            assertThat(other.ofUser("ada")).contains(ONE);
            assertThat(other.ofUser("bob")).isEmpty();
            assertThat(other.ofTopic("topic")).contains(TWO);
            assertThat(other.ofOrg("CL1").approved()).isEqualTo(65);
        }
    }
}
