// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ValuesTest {
    private final Values values = new Values(7);

    @Test
    void aValueComesBackFromItsBytes() {
        for (int i = 0; i < 100; i++) {
            String value = values.next();

            assertThat(Values.value(Values.body(value))).isEqualTo(value);
        }
    }

    @Test
    void noValueIsMadeTwice() {
        Set<String> made = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            assertThat(made.add(values.next())).isTrue();
        }
    }

    @Test
    void bytesThatAreCutAreNotTheValue() {
        String body = Values.body(values.next());

        assertThat(Values.value(body.substring(0, body.length() - 1))).startsWith("damaged ");
    }

    @Test
    void bytesThatAreChangedAreNotTheValue() {
        String body = Values.body(values.next());

        assertThat(Values.value(body + "a")).startsWith("damaged ");
        assertThat(Values.value("x" + body)).startsWith("damaged ");
    }
}
