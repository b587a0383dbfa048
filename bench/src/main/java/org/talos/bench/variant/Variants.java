// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import java.util.Map;
import org.talos.server.seam.Seams;

/** Reads from the environment of a server which of its parts are not the shipped ones. Immutable. */
public final class Variants {
    /** Environment variable: the {@link TransferPools}; without it, as shipped. */
    public static final String TRANSFER_POOLS = "BENCH_TRANSFER_POOLS";

    /** Environment variable: the {@link SelectionPolicy}; without it, as shipped. */
    public static final String SELECTION = "BENCH_SELECTION";

    /** Environment variable: {@code pipeline} for a file for each partition in HDFS; without it, as shipped. */
    public static final String HDFS_FORM = "BENCH_HDFS_FORM";

    /** The value of {@link #HDFS_FORM} for a file for each partition. */
    public static final String PIPELINE = "pipeline";

    /** Environment variable: {@code blocking} for Jetty workers that wait for answers; without it, as shipped. */
    public static final String CALLS = "BENCH_CALLS";

    /** The value of {@link #CALLS} for Jetty workers that wait for answers. */
    public static final String BLOCKING = "blocking";

    /** Environment variable: {@code unpaced} for reads from storage at any speed; without it, as shipped. */
    public static final String READS = "BENCH_READS";

    /** The value of {@link #READS} for reads from storage that never wait for puts. */
    public static final String UNPACED = "unpaced";

    private Variants() {}

    /** Returns the parts that an environment names. */
    public static Seams of(Map<String, String> environment) {
        TransferPools pools =
                TransferPools.valueOf(environment.getOrDefault(TRANSFER_POOLS, TransferPools.MULTIPLEXED.toString()));
        SelectionPolicy policy =
                SelectionPolicy.valueOf(environment.getOrDefault(SELECTION, SelectionPolicy.AFFINITY.toString()));
        Seams seams = Seams.shipped().withSenders(pools::senders).withSelection(policy.selection());
        if (PIPELINE.equals(environment.get(HDFS_FORM))) {
            seams = seams.withForm((own, files) -> new PipelineForm(files));
        }
        if (UNPACED.equals(environment.get(READS))) {
            seams = seams.withProcessorLoad(() -> 0);
        }
        return BLOCKING.equals(environment.get(CALLS)) ? seams.withCalls(BlockingCalls::new) : seams;
    }
}
