// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.util.UUID;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentStoreContract;

/** The store's promises, acknowledged from journals in HDFS. */
@WithDevCluster(Parts.HDFS)
class JournalFormContractIT extends SegmentStoreContract {
    private final HdfsConfig config;

    JournalFormContractIT(DevCluster cluster) {
        config = HdfsStores.config(cluster, "/contract-" + UUID.randomUUID());
    }

    @Override
    protected SegmentStore open() throws Exception {
        return HdfsStores.open(config, Durability.FLUSH);
    }
}
