// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.LastReset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReset;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;

/**
 * Tests what an undo goes back to when resets fail, or meet on two servers: in three partitions without messages, so
 * that each reset goes to offset 0. A worker has committed the first two; the group never came to the third.
 */
@Timeout(60)
class GroupUndoTest extends MessageFixture {
    private static final GroupName SHOP = new GroupName("wide", "shop");
    private static final Map<Integer, Long> COMMITTED = Map.of(0, 42L, 1, 42L);

    private GroupOperations groups;
    private Offsets offsets; // past the store that fails
    private String topicId;

    @BeforeEach
    void createGroup() throws Exception {
        groups = services.operations().groups();
        offsets = new Offsets(metadata);
        topicId = topicId(createTopic("wide", 3));
        commit(0, 42, "worker");
        commit(1, 42, "worker");
    }

    /** Stores where the group continues. */
    private void commit(int partition, long next, String worker) throws MetadataException {
        Optional<Versioned<CommittedOffset>> row = offsets.find(topicId, "shop", partition);
        CommittedOffset wanted = new CommittedOffset(next - 1, worker, 1);
        assertThat(offsets.save(
                        topicId,
                        "shop",
                        partition,
                        wanted,
                        row.map(Versioned::version).orElse(0L)))
                .isPresent();
    }

    /** Returns where the group continues, by partition. */
    private Map<Integer, Long> committed() throws MetadataException {
        Map<Integer, Long> next = new HashMap<>();
        offsets.list(topicId, "shop")
                .forEach((partition, row) -> next.put(partition, row.value().offset() + 1));
        return next;
    }

    private List<Moved> reset(Target target) throws Exception {
        return get(groups.reset(context(), SHOP, new GroupReset(target, Optional.empty(), false, false)));
    }

    private void reset(Target target, int partition) throws Exception {
        get(groups.reset(context(), SHOP, new GroupReset(target, Optional.of(Set.of(partition)), false, false)));
    }

    private void undo() throws Exception {
        get(groups.undoReset(context(), SHOP, false, false));
    }

    /** Another server notes a reset and moves the first partition, before the next write of this one. */
    private void resetElsewhereMeanwhile(LastReset note) {
        rows.beforeWrite(0, () -> {
            try {
                assertThat(offsets.saveReset(topicId, "shop", note, 0)).isTrue();
                commit(0, 9, "reset");
            } catch (MetadataException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void resetIsUndoneToWhereAnotherOneHasPutTheGroupMeanwhile() throws Exception {
        resetElsewhereMeanwhile(new LastReset("bob", 1, "offset 9", Map.of(0, 41L)));

        assertThat(reset(new Target.Latest()).get(0).from()).hasValue(9);
        assertThat(committed()).isEqualTo(Map.of(0, 0L, 1, 0L, 2, 0L));
        undo();

        assertThat(committed()).isEqualTo(Map.of(0, 9L, 1, 42L));
    }

    @Test
    void sameResetOfTwoOperatorsIsUndoneToWhereTheGroupWasBeforeBoth() throws Exception {
        resetElsewhereMeanwhile(new LastReset("bob", 1, "latest", Map.of(0, 41L, 1, 41L, 2, LastReset.NEVER)));

        reset(new Target.Latest());
        undo();

        assertThat(committed()).isEqualTo(COMMITTED);
    }

    /** The first write is the note, and each partition is one more. */
    @ParameterizedTest
    @CsvSource({"0, true", "0, false", "1, true", "1, false", "2, true", "2, false", "3, true", "3, false"})
    void resetThatIsRepeatedAfterAFailureIsUndoneToWhereTheGroupWasBeforeTheFirst(int writes, boolean takesEffect)
            throws Exception {
        rows.failAfter(writes, takesEffect);
        assertThatThrownBy(() -> reset(new Target.Latest())).isInstanceOf(ExecutionException.class);

        reset(new Target.Latest());
        assertThat(committed()).isEqualTo(Map.of(0, 0L, 1, 0L, 2, 0L));
        undo();

        assertThat(committed()).isEqualTo(COMMITTED);
    }

    /** Nobody answers which partitions a reset has moved before it failed: an operator may finish it in steps. */
    @Test
    void resetThatIsFinishedInStepsIsUndoneAsAWhole() throws Exception {
        rows.failAfter(2, false);
        assertThatThrownBy(() -> reset(new Target.Latest())).isInstanceOf(ExecutionException.class);

        reset(new Target.Latest(), 1);
        reset(new Target.Latest(), 2);
        reset(new Target.Latest());
        undo();

        assertThat(committed()).isEqualTo(COMMITTED);
    }

    @Test
    void undoThatFailedHalfWayIsRepeated() throws Exception {
        reset(new Target.Latest());
        rows.failAfter(1, false);
        assertThatThrownBy(this::undo).isInstanceOf(ExecutionException.class);

        undo();

        assertThat(committed()).isEqualTo(COMMITTED);
    }

    @Test
    void undoThatCannotBeForgottenDoesNotSayThatNothingHappened() throws Exception {
        reset(new Target.Latest());
        rows.refuseAfter(3);

        assertThatThrownBy(this::undo)
                .cause()
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(Effect.UNKNOWN));
        assertThat(committed()).isEqualTo(COMMITTED);
    }

    /** An undo would not restore the positions before the first reset any more: its note is replaced. */
    @Test
    void resetThatFailsBehindItsNoteDoesNotSayThatNothingHappened() throws Exception {
        reset(new Target.Latest());
        commit(0, 42, "worker");
        rows.refuseAfter(1);

        assertThat(effectOf(new Target.Earliest())).isEqualTo(Effect.UNKNOWN);
        assertThat(offsets.lastReset(topicId, "shop").orElseThrow().value().target())
                .isEqualTo("earliest");
    }

    @Test
    void resetThatFailsAndHasNothingToNoteSaysThatNothingHappened() throws Exception {
        reset(new Target.Latest());
        rows.refuseAfter(0);

        assertThat(effectOf(new Target.Earliest())).isEqualTo(Effect.NONE);
        assertThat(offsets.lastReset(topicId, "shop").orElseThrow().value().target())
                .isEqualTo("latest");
    }

    private Effect effectOf(Target failing) {
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> reset(failing));
        return Failures.of(failure).effect();
    }

    /** The note has no target: it is of an earlier version of the server. */
    @Test
    void resetAfterOneOfAnEarlierVersionIsAnother() throws Exception {
        LastReset earlier = new LastReset("bob", 1, "", Map.of(0, 99L, 1, 99L, 2, 99L));
        assertThat(offsets.saveReset(topicId, "shop", earlier, 0)).isTrue();
        commit(0, 42, "reset");

        reset(new Target.Latest());
        undo();

        assertThat(committed()).isEqualTo(COMMITTED);
    }
}
