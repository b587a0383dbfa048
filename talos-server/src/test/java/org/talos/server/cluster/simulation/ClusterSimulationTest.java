// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.simulation.ModelLog;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.mutation.Mutation;

/**
 * Hundreds of runs of whole clusters, each by its seed: see {@link SimulationRuns} for how many, and which. Names for
 * {@code talos.simulation.passedOver} are those of {@link Faults}.
 */
@Timeout(3_600)
class ClusterSimulationTest {
    private static final int SEEDS = 80;
    private static final int SEEDS_OF_A_FAULT = 500;

    @Test
    void whatIsPromisedHoldsWhateverHappensToServersAndInWhateverOrder() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, ClusterSimulation::new)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full") // long
    @Tag("servers")
    void faultInsertedOnPurposeIsFound(Fault fault) throws Exception {
        assertThat(fault.mutation.firstFound(ClusterSimulation.class, SEEDS_OF_A_FAULT))
                .hasValueSatisfying(found -> assertThat(found).contains(fault.promise));
    }

    /** A fault, and the promise by which it is found; empty for any. */
    private enum Fault {
        CUT_OFF_SERVER_ANSWERS_READS(
                "partition.serving.LocalPartitions",
                "if (!coordinator.isConnected()) {",
                "if (coordinator == null) {",
                ModelLog.FRESH),
        SUSPENDED_SERVER_ANSWERS_BEFORE_ITS_HEARTBEAT(
                "cluster.zookeeper.ClusterSession",
                "return ticked.compareTo(shown) > 0 ? ticked : shown;",
                "return ticked;",
                ""),
        NODE_OF_ANOTHER_SESSION_IS_ITS_OWN(
                "cluster.zookeeper.ClusterSession",
                "if (session != 0 && ownerSession != session) {",
                "if (session != 0 && ownerSession < 0) {",
                ""),
        UNREADABLE_NODE_IS_NO_SERVER(
                "cluster.zookeeper.ClusterView",
                "|| unreadable.stream().anyMatch(path -> is(NodeKind.SERVER, path));",
                ";",
                Promises.ALIVE),
        LIVING_OWNER_IS_NOT_AWAITED(
                "partition.PartitionOpener", "|| !ownership.isAlive(row.owner());", "|| row != null;", Promises.ALIVE),
        SERVER_OUT_OF_TOUCH_TAKES_PARTITIONS(
                "partition.ClusterOwnership",
                "return coordinator.isInTouch() && isHere(id);",
                "return isHere(id);",
                ""),
        ROW_IS_TAKEN_AS_IT_IS_NOW(
                "partition.RowCatalog",
                "before.map(Versioned::version).orElse(0L)",
                "partitions.find(id.topicId(), id.partition()).map(Versioned::version).orElse(0L)",
                ""),
        EPOCH_STAYS_WHEN_A_ROW_IS_TAKEN(
                "partition.RowCatalog", "record.epoch() + 1, owner", "record.epoch(), owner", ""),
        REUSED_NAME_IS_THE_OLD_TOPIC(
                "metadata.rows.topic.Topics",
                "if (row.isPresent() && row.get().value().topicId().equals(deleted.topicId())) {",
                "if (row.isPresent()) {",
                ""),
        TOMBSTONE_DOES_NOT_COUNT_GROWTH(
                "metadata.rows.topic.Topics",
                "Math.max(topic.partitions(), topic.oldPartitions())",
                "topic.oldPartitions()",
                ""),
        GROWTH_IS_NOT_ASSIGNED(
                "cluster.assignment.ExistingTopics", "if (partitions < number) {", "if (partitions == 0) {", ""),
        TWO_PROCESSES_TAKE_THEIR_ID_FROM_EACH_OTHER(
                "cluster.zookeeper.Registry",
                "return found != null && Arrays.equals(found.data(), latest());",
                "return found != null;",
                ""),
        PROCESS_THAT_OUTLIVES_A_LATER_ONE_IS_A_MEMBER_AGAIN(
                "cluster.zookeeper.Registry",
                "return take(session) && isLatest();",
                "return take(session);",
                ModelLog.FRESH);

        private final Mutation mutation;
        private final String promise;

        Fault(String type, String before, String after, String promise) {
            mutation = new Mutation("org.talos.server." + type, before, after);
            this.promise = promise;
        }
    }
}
