// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WrittenJsonTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -0                                  | -0
            1e400                               | 1e400
            1.50E+2                             | 1.50E+2
            "\\u00e9\\/ , } \\" \\\\"           | "\\u00e9\\/ , } \\" \\\\"
            { "a" : [ 1 , "] }" , { } ] }       | {"a":[1,"] }",{}]}
            null                                | null
            [ ]                                 | []
            """)
    void valueIsWhatIsWrittenWhereverItStands(String written, String value) {
        assertThat(WrittenJson.at(written, 0)).isEqualTo(value);
        assertThat(WrittenJson.at("{\"json\": " + written + " , \"key\": \"k\"}", 9))
                .isEqualTo(value);
        assertThat(WrittenJson.at("{\"json\":" + written + "}", 8)).isEqualTo(value);
        assertThat(WrittenJson.at("[" + written + "\n]", 1)).isEqualTo(value);
    }

    /** The reader of the text finds that only later. */
    @ParameterizedTest
    @ValueSource(strings = {"[0,1.10]", "{\"a\":[]}", "\"a\\\"\""})
    void whatIsBehindTheValueNeedNotBeJson(String value) {
        assertThat(WrittenJson.at(value + "imestamp\":1.0}]}", 0)).isEqualTo(value);
    }
}
