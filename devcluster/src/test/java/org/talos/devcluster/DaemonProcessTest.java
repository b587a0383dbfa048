// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DaemonProcessTest {
    private static final String[] STATE = {"ps", "-o", "state=", "-p"};

    /** Daemons end by themselves at any time, also between being found and being asked. */
    @Test
    void processThatEndsBeforeItIsAskedSaysNothing() throws Exception {
        Process process = new ProcessBuilder("true").start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(DaemonProcess.run(process.toHandle(), STATE)).isEmpty();
        assertThat(DaemonProcess.run(process.toHandle(), "kill", "-CONT")).isEmpty();
    }

    @Test
    void processThatLivesIsAsked() throws Exception {
        Process process = new ProcessBuilder("sleep", "30").start();
        try {
            assertThat(DaemonProcess.run(process.toHandle(), STATE)).isPresent();
            assertThatThrownBy(() -> DaemonProcess.run(process.toHandle(), "kill", "-NOSUCH"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("kill -NOSUCH " + process.pid());
        } finally {
            process.destroyForcibly();
        }
    }
}
