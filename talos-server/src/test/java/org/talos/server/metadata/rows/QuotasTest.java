// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;

final class QuotasTest {
    private static final QuotaRecord ONE = new QuotaRecord(1, 1, 1, 1, 1, 1);
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
            other.refresh();
            assertThat(other.ofTopic("topic")).contains(ONE);
            assertThat(other.ofOrg("org").approved()).isEqualTo(64);

            quotas.setUser("ada", TWO);
            quotas.removeTopic("topic");
            other.refresh();

            assertThat(other.ofUser("ada")).contains(TWO);
            assertThat(other.ofTopic("topic")).isEmpty();
        }
    }
}
