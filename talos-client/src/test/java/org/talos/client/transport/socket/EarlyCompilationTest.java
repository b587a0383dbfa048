// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class EarlyCompilationTest {
    private final List<Runnable> tasks = new ArrayList<>();

    @Test
    void programThatSendsMuchHasItsTlsCompiledOnce() {
        EarlyCompilation compilation = new EarlyCompilation(tasks::add);
        compilation.carried(200 << 10);
        compilation.carried(-1);
        assertThat(tasks).isEmpty();

        compilation.carried(56 << 10);
        compilation.carried(10 << 20);

        assertThat(tasks).hasSize(1);
        tasks.get(0).run();
    }

    @Test
    void bytesContinueWhereThereIsNoThreadForIt() {
        EarlyCompilation compilation = new EarlyCompilation(task -> {
            throw new RejectedExecutionException("made to fail");
        });

        compilation.carried(1 << 20);
        compilation.carried(1 << 20);

        assertThat(tasks).isEmpty();
    }
}
