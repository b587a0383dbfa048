// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.memory.RequestMemory.ExhaustedException;
import org.talos.server.service.group.GroupCommit;
import org.talos.thrift.ErrorCode;

/** A fetch whose messages cannot be read once its commit has been stored. */
class MemberResourcesTest {
    private final ExhaustedException exhausted = catchThrowableOfType(
            ExhaustedException.class, () -> new RequestMemory(new MemoryBudget(1_000).of("ann")).reserve(2_000));

    /** As {@link org.talos.server.memory.BlockOpening} refuses a block whose library is missing. */
    private final TalosException missingLibrary =
            TalosException.refused(ErrorCode.OPERATION_FAILED, "this server cannot read a block in ZSTD");

    private RuntimeException failure(Set<Integer> committed, List<Integer> lost) {
        return MemberResources.afterCommit(committed, new GroupCommit(lost, List.of()), exhausted);
    }

    private Effect effect(Set<Integer> committed, List<Integer> lost) {
        return ((ProblemException) failure(committed, lost)).problem().effect();
    }

    @Test
    void commitThatIsStoredIsSaidToBeDone() {
        assertThat(effect(Set.of(0, 1), List.of())).isEqualTo(Effect.DONE);
    }

    @Test
    void commitThatIsStoredInPartIsOfUnknownEffect() {
        assertThat(effect(Set.of(0, 1), List.of(1))).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void fetchThatHasCommittedNothingDidNotHappen() {
        assertThat(failure(Set.of(), List.of())).isSameAs(exhausted);
        assertThat(failure(Set.of(1), List.of(1))).isSameAs(exhausted);
    }

    /** Answers a fetch with a block of a compression whose library is missing. */
    private TalosException unread(Set<Integer> committed, List<Integer> lost) {
        return catchThrowableOfType(
                TalosException.class,
                () -> MemberResources.afterCommit(committed, new GroupCommit(lost, List.of()), this::noAnswer));
    }

    private RestAnswer noAnswer() {
        throw missingLibrary;
    }

    @Test
    void commitIsSaidToBeDoneThoughTheLibraryOfACompressionIsMissing() {
        assertThat(unread(Set.of(0, 1), List.of()).effect()).isEqualTo(Effect.DONE);
        assertThat(unread(Set.of(0, 1), List.of())).hasMessageContaining("cannot read a block in ZSTD");
        assertThat(Problem.of(unread(Set.of(0, 1), List.of())).status()).isEqualTo(500);
    }

    @Test
    void commitInPartIsOfUnknownEffectThoughTheLibraryOfACompressionIsMissing() {
        assertThat(unread(Set.of(0, 1), List.of(1)).effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void fetchWithoutACommitDidNotHappenIfTheLibraryOfACompressionIsMissing() {
        assertThat(unread(Set.of(), List.of())).isSameAs(missingLibrary);
    }
}
