// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.Map;
import org.talos.bench.executor.SelectionPolicy;
import org.talos.bench.transfer.TransferPools;
import org.talos.server.seam.Seams;

/** The parts of a server that the versions of the Talos 2.1.6 report have in place of the shipped ones. Immutable. */
final class Variants {
    /** Environment variable: the {@link TransferPools}; without it, as shipped. */
    static final String TRANSFER_POOLS = "BENCH_TRANSFER_POOLS";

    /** Environment variable: the {@link SelectionPolicy}; without it, as shipped. */
    static final String SELECTION = "BENCH_SELECTION";

    private Variants() {}

    /** Returns the parts that an environment names. */
    static Seams of(Map<String, String> environment) {
        TransferPools pools =
                TransferPools.valueOf(environment.getOrDefault(TRANSFER_POOLS, TransferPools.MULTIPLEXED.toString()));
        SelectionPolicy policy =
                SelectionPolicy.valueOf(environment.getOrDefault(SELECTION, SelectionPolicy.AFFINITY.toString()));
        return Seams.shipped().withSenders(pools::senders).withSelection(policy.selection());
    }
}
