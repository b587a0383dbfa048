// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingTest {
    private final List<String> closed = new ArrayList<>();

    private AutoCloseable part(String name) {
        return () -> closed.add(name);
    }

    private AutoCloseable failing(String name, Throwable failure) {
        return () -> {
            closed.add(name);
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
    }

    @Test
    void everyPartIsClosedOnceInReverseWhateverFails() {
        Closing closing = new Closing();
        closing.add(part("first"));
        closing.add(failing("second", new IllegalStateException("not two")));
        closing.add(failing("third", new NoClassDefFoundError("org/talos/Gone")));
        closing.add(part("fourth"));

        closing.close();
        closing.close();

        assertThat(closed).containsExactly("fourth", "third", "second", "first");
    }
}
