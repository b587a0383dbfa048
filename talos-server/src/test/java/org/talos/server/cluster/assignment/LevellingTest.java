// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class LevellingTest {
    private final Levelling levelling = new Levelling();

    @Test
    void partitionsAreWeighedOnceHoweverOftenItIsAskedFor() {
        assertThat(levelling.isUnderWay()).isFalse();

        levelling.want();
        assertThat(levelling.needsWeights()).isTrue();
        levelling.onWeighed();
        levelling.want();
        assertThat(levelling.needsWeights()).isFalse();
        assertThat(levelling.isUnderWay()).isTrue();

        levelling.finish();
        assertThat(levelling.isUnderWay()).isFalse();
        levelling.want();
        assertThat(levelling.needsWeights()).isTrue();
    }

    @Test
    void serverThatIsForgottenIsNewAgain() {
        levelling.addBalanced(Set.of("a", "b"));
        levelling.retainBalanced("a"::equals);

        assertThat(levelling.isNew("a")).isFalse();
        assertThat(levelling.isNew("b")).isTrue();
    }
}
