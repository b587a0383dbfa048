// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActiveWorkersTest {
    private final ActiveWorkers workers = new ActiveWorkers(4);
    private final List<Integer> started = new ArrayList<>();

    @Test
    void thoseWithTheLowestNumbersAreActiveAndEachIsStartedOnce() {
        workers.resize(2, started::add);
        workers.resize(3, started::add);

        assertThat(started).containsExactly(0, 1, 2);
        assertThat(workers.count()).isEqualTo(3);
        assertThat(workers.isActive(2)).isTrue();
        assertThat(workers.isActive(3)).isFalse();
    }

    @Test
    void oneThatIsTooManyEndsWhenItFindsSoAndIsStartedAgain() {
        workers.resize(2, started::add);
        workers.resize(1, started::add);

        assertThat(workers.ends(0)).isFalse();
        assertThat(workers.ends(1)).isTrue();
        workers.resize(2, started::add);
        assertThat(started).containsExactly(0, 1, 1);
    }

    @Test
    void oneThatIsWantedAgainBeforeItHasEndedGoesOnWithoutASecondThread() {
        workers.resize(2, started::add);
        workers.resize(1, started::add);
        workers.resize(2, started::add);

        assertThat(workers.ends(1)).isFalse();
        assertThat(started).containsExactly(0, 1);
    }

    @Test
    void thereIsOneAtLeastAndNoMoreThanThereMayBe() {
        workers.resize(0, started::add);
        assertThat(workers.count()).isEqualTo(1);

        workers.resize(9, started::add);
        assertThat(started).containsExactly(0, 1, 2, 3);
    }

    @Test
    void onlyThoseThatHaveAThreadAreActiveIfThereIsNoneForAllAndTheOthersAreStartedLater() {
        workers.resize(1, started::add);
        assertThatThrownBy(() -> workers.resize(4, number -> {
                    if (number == 2) {
                        throw new OutOfMemoryError("no thread");
                    }
                    started.add(number);
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(workers.count()).isEqualTo(2);
        assertThat(workers.ends(1)).isFalse();

        workers.resize(4, started::add);
        assertThat(started).containsExactly(0, 1, 2, 3);
        assertThat(workers.count()).isEqualTo(4);
    }

    @Test
    void noneIsStartedOnceItIsClosed() {
        workers.resize(1, started::add);
        workers.close();
        workers.resize(3, started::add);

        assertThat(started).containsExactly(0);
        assertThat(workers.count()).isEqualTo(1);
    }
}
