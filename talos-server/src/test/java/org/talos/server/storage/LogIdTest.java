// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogIdTest {
    @Test
    void nameOfALogIsItsTopicsIdAndItsNumber() {
        assertThat(new LogId("0123456789abcdef0123456789abcdef", 7)).hasToString("0123456789abcdef0123456789abcdef/7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0123456789abcdef0123456789abcde",
                "0123456789abcdef0123456789abcdef0",
                "0123456789ABCDEF0123456789ABCDEF",
                "../../../../../../../../etc/passw",
                "0123456789abcdef0123456789abcde\n",
                "0123456789abcdef0123456789abcdeg",
                "0123456789abcdef0123456789abcde\u0661"
            })
    void whatIsNoTopicsIdNamesNoLog(String text) {
        assertThatThrownBy(() -> new LogId(text, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("32 hex digits");
    }

    @Test
    void numberBelowZeroNamesNoLog() {
        assertThatThrownBy(() -> new LogId("0123456789abcdef0123456789abcdef", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }
}
