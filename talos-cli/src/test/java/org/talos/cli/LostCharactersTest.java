// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LostCharactersTest {
    private static final Map<String, String> PATHS = Map.of("TALOS_DATADIRECTORY", "/d\ufffd\ufffdt");
    private static final List<String> LOST = List.of("put", "orders", "na\ufffd\ufffdve");
    private static final LostCharacters ASCII = new LostCharacters("ANSI_X3.4-1968", true);

    @Test
    void argumentThatTheLocaleLacksCharactersOfIsNamed() {
        assertThat(ASCII.first(LOST, Map.of()))
                .hasValue("argument 3 has characters that the encoding of this locale lacks, ANSI_X3.4-1968");
    }

    @Test
    void pathThatTheLocaleLacksCharactersOfIsNamed() {
        assertThat(ASCII.first(List.of("server"), PATHS))
                .hasValueSatisfying(sentence -> assertThat(sentence).startsWith("TALOS_DATADIRECTORY has characters"));
    }

    @Test
    void whatIsWholeIsNotRefused() {
        assertThat(ASCII.first(List.of("put", "orders", "naive"), Map.of("HOME", "/root")))
                .isEmpty();
    }

    @Test
    void replacementThatSomebodyHasTypedIsText() {
        assertThat(new LostCharacters("UTF-8", true).first(LOST, PATHS)).isEmpty();
    }

    @Test
    void argumentOfOtherBytesThanUtf8IsNamed() {
        LostCharacters torn = new LostCharacters("UTF-8", false);

        assertThat(torn.first(LOST, Map.of())).hasValue("argument 3 is not UTF-8");
        assertThat(torn.first(List.of("put", "orders"), PATHS)).isEmpty();
    }
}
