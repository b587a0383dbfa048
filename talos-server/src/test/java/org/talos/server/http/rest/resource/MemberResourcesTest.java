// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.memory.RequestMemory.ExhaustedException;
import org.talos.server.service.group.GroupCommit;

/** A fetch for whose messages there is no memory once its commit has been stored. */
class MemberResourcesTest {
    private final ExhaustedException exhausted = catchThrowableOfType(
            ExhaustedException.class, () -> new RequestMemory(new MemoryBudget(1_000).of("ann")).reserve(2_000));

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
}
