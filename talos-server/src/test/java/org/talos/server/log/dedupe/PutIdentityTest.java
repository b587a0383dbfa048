// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.server.log.dedupe.PutIdentity.BlockIdentity;

class PutIdentityTest {
    private static final BlockIdentity BLOCK = new BlockIdentity(1, 2, 3, 4, 5);

    @Test
    void equalPutsHaveTheSame() {
        assertThat(PutIdentity.ofBlocks("id", List.of(BLOCK, BLOCK)))
                .isEqualTo(PutIdentity.ofBlocks("id", List.of(BLOCK, new BlockIdentity(1, 2, 3, 4, 5))));
    }

    @Test
    void eachDifferenceCounts() {
        Set<PutIdentity> all = new HashSet<>();
        all.add(PutIdentity.ofBlocks("id", List.of(BLOCK)));
        all.add(PutIdentity.ofBlocks("other", List.of(BLOCK)));
        all.add(PutIdentity.ofBlocks("id", List.of(BLOCK, BLOCK)));
        all.add(PutIdentity.ofBlocks("id", List.of(new BlockIdentity(0, 2, 3, 4, 5))));
        all.add(PutIdentity.ofBlocks("id", List.of(new BlockIdentity(1, 0, 3, 4, 5))));
        all.add(PutIdentity.ofBlocks("id", List.of(new BlockIdentity(1, 2, 0, 4, 5))));
        all.add(PutIdentity.ofBlocks("id", List.of(new BlockIdentity(1, 2, 3, 0, 5))));
        all.add(PutIdentity.ofBlocks("id", List.of(new BlockIdentity(1, 2, 3, 4, 0))));
        all.add(PutIdentity.ofKey("id", ""));
        all.add(PutIdentity.NONE);

        assertThat(all).hasSize(10);
    }
}
