// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReadinessTest {
    private final Readiness readiness = new Readiness();

    @Test
    void serverIsNotReadyBeforeItsFirstCheckAndWhileItStops() {
        assertThat(readiness.reasons()).containsKey("server");
        readiness.check();
        assertThat(readiness.reasons()).isEmpty();
        readiness.stop();
        readiness.check();
        assertThat(readiness.reasons()).containsKey("server");
    }

    @Test
    void eachFailingCheckIsNamedUntilItPasses() {
        Optional<?>[] disk = {Optional.of("full")};
        readiness.watch("storage", () -> disk[0].map(String::valueOf));
        readiness.watch("metadata", () -> {
            throw new IOException("gone");
        });

        readiness.check();
        assertThat(readiness.reasons()).containsEntry("storage", "full").containsEntry("metadata", "gone");

        disk[0] = Optional.empty();
        readiness.check();
        assertThat(readiness.reasons()).containsOnlyKeys("metadata");
    }
}
