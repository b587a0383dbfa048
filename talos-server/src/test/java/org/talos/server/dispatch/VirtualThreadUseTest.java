// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.talos.server.dispatch.ProcessorUse.Use;

class VirtualThreadUseTest {
    private final AtomicInteger runnable = new AtomicInteger();
    private final VirtualThreadUse use = new VirtualThreadUse(runnable::get, () -> 2);

    private void samples(int... numbers) {
        for (int number : numbers) {
            runnable.set(number);
            use.sample();
        }
    }

    @Test
    void noMoreRunThanThereAreProcessorsAndTheOthersWaitForOne() {
        samples(1, 5, 0, 2);

        assertThat(use.end(1, 9)).contains(new Use((1 + 2 + 0 + 2) / 4.0, 3 / 4.0));
    }

    @Test
    void aPeriodKnowsNothingOfTheOneBefore() {
        samples(9, 9);
        use.begin();
        assertThat(use.end(1, 9)).isEmpty();

        samples(9);
        assertThat(use.end(1, 9)).isPresent();
        samples(1);
        assertThat(use.end(1, 9)).contains(new Use(1, 0));
    }
}
