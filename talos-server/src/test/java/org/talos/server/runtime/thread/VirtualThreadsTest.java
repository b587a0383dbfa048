// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class VirtualThreadsTest {
    @Test
    void anOlderJdkIsRefusedByItsNumber() {
        assumeFalse(VirtualThreads.areThere());

        assertThatThrownBy(() -> new VirtualThreads("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "virtual threads: JDK %s (expected: 24 or newer)",
                        Runtime.version().feature());
    }

    @Test
    void threadsAreNumberedDaemonsThatStartWhenTheyAreTold() throws Exception {
        assumeTrue(VirtualThreads.areThere());
        VirtualThreads threads = new VirtualThreads("a");
        Thread first = threads.newThread(() -> {});
        Thread second = threads.newThread(() -> {});

        assertThat(first.getName()).isEqualTo("talos-a-0");
        assertThat(second.getName()).isEqualTo("talos-a-1");
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.getState()).isEqualTo(Thread.State.NEW);
        assertThat(first.getUncaughtExceptionHandler()).isSameAs(NamedThreads.LOGS_DEATH);
        first.start();
        first.join();
    }
}
