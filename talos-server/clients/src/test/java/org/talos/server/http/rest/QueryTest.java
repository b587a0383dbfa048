// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.http.rest.json.ProblemException;

/** The parameters of a request line, which are read before their sender is known. */
class QueryTest {
    private static final int MOST_BYTES = 2 << 20;

    @Test
    void asManyParametersAsFitIntoAHeadAreRefusedWithoutMuchMemory() throws Exception {
        String query = "a&".repeat(8_000);

        Fuzzed.within(
                MOST_BYTES,
                1,
                () -> assertThatThrownBy(() -> Query.decoded(query))
                        .isInstanceOf(ProblemException.class)
                        .hasMessageContaining("more than 64 parameters"));
    }

    @Test
    void sixtyFourParametersAreRead() {
        assertThat(Query.decoded("a=b" + "&a=b".repeat(63)).get("a").getValues())
                .hasSize(64);
        assertThat(Query.of("from=5&as=text", Set.of("from", "as")).number("from", 0, 0, 9))
                .isEqualTo(5);
    }
}
